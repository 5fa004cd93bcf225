#include "child-agent/sampler/interrupted_call.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "child-agent/guest/call_by_number_x86_64.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/sampler/program_signal.h"
#include "child-agent/sampler/sampling_signal.h"

/* Reads and writes: the kernel makes them again after a handler with SA_RESTART, unless the socket
 * has a timeout. */
static bool is_transfer(uint32_t number)
{
    switch (number) {
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_read:
    case SYS_write:
    case SYS_readv:
    case SYS_writev:
    case SYS_recvmmsg:
    case SYS_sendmmsg:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_sendfile:
    case SYS_splice:
        return true;
    default:
        return false;
    }
}

/* Those that may answer EINTR after a handler ran, whatever SA_RESTART says, and may simply be made
 * again. Not pause and sigsuspend: their signal would be slept through if its handler had just run.
 */
static bool is_worth_restarting(uint32_t number)
{
    switch (number) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_rt_sigtimedwait:
    case SYS_futex:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
        return true;
    default:
        return is_transfer(number);
    }
}

/* Those that the kernel makes again after a handler with SA_RESTART, and else lets fail. Others
 * that it makes again, as fork, it makes again whatever the handler says. */
static bool is_repeated_by_kernel(uint64_t number)
{
    switch (number) {
    case SYS_wait4:
    case SYS_waitid:
    case SYS_flock:
    case SYS_fcntl:
    case SYS_open:
    case SYS_openat:
    case SYS_futex:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_tee:
    case SYS_ioctl:
        return true;
    default:
        return number <= UINT32_MAX && is_transfer((uint32_t)number);
    }
}

/* Those that unblock signals while they wait are like sigsuspend. */
static bool unblocks_signals(uint32_t number, const greg_t *registers)
{
    switch (number) {
    case SYS_ppoll:
        return registers[REG_R10] != 0;
    case SYS_pselect6:
    case SYS_io_pgetevents: {
        /* A pointer to a mask and its size. */
        const void *const *mask = (const void *const *)registers[REG_R9]; /* NOLINT: an address */
        return mask != NULL && *mask != NULL;
    }
    case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
        return registers[REG_R8] != 0;
    default:
        return false;
    }
}

static bool is_ignored_by_default(int number)
{
    return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH;
}

/* The kernel keeps a signal that is ignored while it is blocked, as in our handler, and forgets it
 * afterwards. */
static bool is_ignored(int number)
{
    struct sigaction action;
    if (sampling_signal_wanted_action(number, &action) < 0)
        return false;
    return action.sa_handler == SIG_IGN ||
           (action.sa_handler == SIG_DFL && is_ignored_by_default(number));
}

/* The first signal of the program that came while this one was handled, and whose handler is to run
 * at CONTEXT: it decides what becomes of the call. 0: none; -1: the kernel does not say. */
static int next_signal(const ucontext_t *context)
{
    uint64_t pending = 0;
    if (process_memory_is_read_directly())
        return 0; /* behind a filter nobody may ask */
    if (syscall(SYS_rt_sigpending, &pending, sizeof(pending)) < 0)
        return -1;
    uint64_t own = signal_bit(sampling_signal_number());
    uint64_t blocked = signal_bits_of(&context->uc_sigmask);
    for (uint64_t others = pending & ~blocked & ~own; others != 0; others &= others - 1) {
        int number = __builtin_ctzll(others) + 1;
        if (!is_ignored(number))
            return number;
    }
    return 0;
}

enum { PAGE_BYTES = 4096, MOVE_BYTES = 5, CALL_BYTES = 2, LOAD_BYTES = 4, LONG_LOAD_BYTES = 5 };

static const uint8_t system_call[CALL_BYTES] = { 0x0f, 0x05 };

/* mov N(%rsp), %edi: the C library saves a first argument that is a descriptor across its
 * preparation for cancellation. */
static bool is_load_of_edi(const uint8_t *code)
{
    return code[0] == 0x8b && code[1] == 0x7c && code[2] == 0x24;
}

/* mov N(%rsp), %rsi or %rdx: other arguments. */
static bool is_load_of_pointer(const uint8_t *code)
{
    return code[0] == 0x48 && code[1] == 0x8b && (code[2] == 0x74 || code[2] == 0x54) &&
           code[3] == 0x24;
}

/* Goes back over LOADS of arguments that end at OFFSET of CODE. */
static size_t skip_loads(const uint8_t *code, size_t offset)
{
    for (;;) {
        if (offset >= LOAD_BYTES && is_load_of_edi(code + offset - LOAD_BYTES))
            offset -= LOAD_BYTES;
        else if (offset >= LONG_LOAD_BYTES && is_load_of_pointer(code + offset - LONG_LOAD_BYTES))
            offset -= LONG_LOAD_BYTES;
        else
            return offset;
    }
}

/* mov $number, %eax; perhaps loads of arguments; syscall: how the C library makes its calls. The
 * number is gone from rax. CODE holds the BYTES before the return address. */
static bool called_number(const uint8_t *code, size_t bytes, uint32_t *number)
{
    static const uint8_t move_eax = 0xb8;
    if (bytes < MOVE_BYTES + CALL_BYTES ||
        memcmp(code + bytes - CALL_BYTES, system_call, CALL_BYTES) != 0)
        return false;
    size_t offset = skip_loads(code, bytes - CALL_BYTES);
    if (offset < MOVE_BYTES || code[offset - MOVE_BYTES] != move_eax)
        return false;
    memcpy(number, code + offset - MOVE_BYTES + 1, sizeof(*number));
    return true;
}

/* Behind syscall(), which keeps the number. */
static bool number_of_call_by_number(const greg_t *registers, uint32_t *number)
{
    uint64_t place = (uint64_t)registers[REG_RSP] + CALL_BY_NUMBER_OFFSET;
    if ((uint64_t)registers[REG_RIP] != (uint64_t)(uintptr_t)call_by_number_was_made)
        return false;
    memcpy(number, (const void *)(uintptr_t)place, sizeof(*number)); /* NOLINT: on the stack */
    return true;
}

/* The call that was cut short with EINTR right before the code at REGISTERS. */
static bool interrupted_number(const greg_t *registers, uint32_t *number)
{
    enum { LONGEST_BYTES = MOVE_BYTES + LOAD_BYTES + 2 * LONG_LOAD_BYTES + CALL_BYTES };
    uint64_t after = (uint64_t)registers[REG_RIP];
    /* What is before the page may not be mapped. */
    uint64_t bytes = after & (PAGE_BYTES - 1);

    if (registers[REG_RAX] != -EINTR)
        return false;
    if (number_of_call_by_number(registers, number))
        return true;
    if (bytes > LONGEST_BYTES)
        bytes = LONGEST_BYTES;
    const uint8_t *code = (const uint8_t *)(uintptr_t)(after - bytes); /* NOLINT: a code address */
    return called_number(code, bytes, number);
}

static bool is_system_call_at(uint64_t address)
{
    uint8_t code[CALL_BYTES];
    return process_memory_read(address, code, sizeof(code)) == 0 &&
           memcmp(code, system_call, sizeof(code)) == 0;
}

/* The kernel has put the number of a call that it makes again back into rax. */
bool interrupted_call_is_at(const void *context)
{
    enum { NUMBERS_END = 1024 };
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t rax = (uint64_t)registers[REG_RAX], next = (uint64_t)registers[REG_RIP];
    if (registers[REG_RAX] == -EINTR)
        return is_system_call_at(next - CALL_BYTES);
    return rax < NUMBERS_END && is_system_call_at(next);
}

/* In rcx, where a system call leaves nothing of the program's. The next one overwrites it; on
 * processors with FRED it stays until the program uses rcx, and until then waits that only ours cut
 * short fail with EINTR as well. */
static greg_t kept_mark(void)
{
    static const char mark;
    return (greg_t)(uintptr_t)&mark;
}

void interrupted_call_keep(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint32_t number;
    if (interrupted_number(registers, &number))
        registers[REG_RCX] = kept_mark();
}

/* A call that failed with EINTR: made again, it would sleep on after the program's handler ran. Its
 * signal may be pending no more when the next of ours comes. */
static void repeat_failed_call(ucontext_t *context, uint32_t number)
{
    greg_t *registers = context->uc_mcontext.gregs;
    if (!is_worth_restarting(number) || unblocks_signals(number, registers) ||
        registers[REG_RCX] == kept_mark())
        return;
    if (next_signal(context) != 0) {
        registers[REG_RCX] = kept_mark();
        return;
    }
    registers[REG_RAX] = number;
    registers[REG_RIP] -= CALL_BYTES;
}

static bool lets_calls_fail(int number)
{
    struct sigaction action;
    return sampling_signal_wanted_action(number, &action) == 0 &&
           sampling_signal_has_handler(&action) && !(action.sa_flags & SA_RESTART);
}

/* A call that is about to be made again, as our handler has SA_RESTART. The kernel left the place
 * behind it in rcx. */
static void fail_repeated_call(ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    uint64_t next = (uint64_t)registers[REG_RIP];
    if ((uint64_t)registers[REG_RCX] != next + CALL_BYTES ||
        !is_repeated_by_kernel((uint64_t)registers[REG_RAX]))
        return;
    int number = next_signal(context);
    if (number <= 0 || !lets_calls_fail(number) || !is_system_call_at(next))
        return;
    registers[REG_RAX] = -EINTR;
    registers[REG_RIP] += CALL_BYTES;
    registers[REG_RCX] = kept_mark();
}

void interrupted_call_settle(void *context)
{
    uint32_t number;
    if (interrupted_number(((ucontext_t *)context)->uc_mcontext.gregs, &number))
        repeat_failed_call(context, number);
    else
        fail_repeated_call(context);
}
