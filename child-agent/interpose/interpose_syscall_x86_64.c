/* Interposed: calls that a program makes by their number. Those that set filters or masks of
 * signals are noticed, those that end a thread, and those that copy the process; a signalfd(), an
 * exec, the handler of a signal, and those that enter namespaces are handed to the interposed
 * function of that name. All others go to the kernel as the C library makes them: without a frame,
 * since some children share the stack with who made them. The number stays below the stack's end,
 * so that a call that our signal cut short can be made again. */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/fork.h"
#include "child-agent/guest/call_by_number_x86_64.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/interpose/interpose_copies.h"
#include "child-agent/interpose/interpose_filters.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/threads/thread_registry.h"

/* What is called instead of the kernel, with the number and the arguments of a call. */
typedef long call_function(long number, long first, long second, long third, long fourth,
                           long fifth);

/* For the code below, which has two entries: syscall() jumps to what the tables have for the
 * number, maybe to its own second half, and that one back to where the call is made. */
extern const uint8_t interpose_syscall_replacements[];
extern call_function *const interpose_syscall_functions[];
call_function interpose_syscall_notice_first; /* it is in the code below */
int interpose_syscall_notice(long number, unsigned long first, unsigned long second,
                             unsigned long third);
call_function interpose_syscall_copy;
long interpose_syscall_fail(long error);

/* The arguments of clone3() are read as the kernel reads them: what is not there is its error. */
static bool clone3_makes_copy(unsigned long address, size_t bytes)
{
    struct clone_args arguments;
    return bytes >= CLONE_ARGS_SIZE_VER0 &&
           process_memory_read(address, &arguments, CLONE_ARGS_SIZE_VER0) == 0 &&
           interpose_copies_follows(arguments.flags) && arguments.stack == 0;
}

/* Whether the call makes a child that goes on here, on a copy of this stack. */
static bool makes_copy(long number, unsigned long first, unsigned long second)
{
    if (number == SYS_fork)
        return true;
    if (number == SYS_clone)
        return interpose_copies_follows(first) && second == 0;
    return number == SYS_clone3 && clone3_makes_copy(first, second);
}

static bool may_look(void)
{
    return core.is_enabled && !atomic_load(&core.has_filter);
}

/* 1: the call is to be made by interpose_syscall_copy(). */
int interpose_syscall_notice(long number, unsigned long first, unsigned long second,
                             unsigned long third)
{
    int saved_errno = errno;
    bool is_copy = may_look() && makes_copy(number, first, second) && fork_copy_begin();
    if (number == SYS_prctl)
        interpose_filters_before_prctl((int)first, second, third);
    else if (number == SYS_seccomp)
        interpose_filters_before_seccomp((unsigned)first, second, third);
    else if (number == SYS_exit && may_look())
        thread_registry_leave_without_destructors();
    errno = saved_errno;
    return is_copy;
}

static long make_call(long number, long first, long second, long third, long fourth, long fifth)
{
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

long interpose_syscall_fail(long error)
{
    errno = (int)-error;
    return -1;
}

static long call_result(long result)
{
    return result >= 0 ? result : interpose_syscall_fail(result);
}

long interpose_syscall_copy(long number, long first, long second, long third, long fourth,
                            long fifth)
{
    int saved_errno = errno;
    long result = make_call(number, first, second, third, fourth, fifth);
    if (result == 0)
        fork_copy_end_in_child();
    else
        fork_copy_end_in_parent();
    errno = saved_errno;
    return call_result(result);
}

/* The kernel is asked first: some programs ask it in this way whether memory can be read. */
static long change_mask(long number, long how, long set, long old_set, long bytes, long fifth)
{
    struct raw_mask_change change;
    int saved_errno = errno;
    thread_mask_before_raw(&change);
    long result = make_call(number, how, set, old_set, bytes, fifth);
    if (result < 0)
        return interpose_syscall_fail(result);
    thread_mask_after_raw(&change, (int)how, (const uint64_t *)set, (uint64_t *)old_set);
    errno = saved_errno;
    return result;
}

/* A set that cannot be read is the kernel's error. FLAGS are signalfd4()'s only. */
static long make_signal_descriptor(long number, long fd, long set, long bytes, long flags,
                                   long fifth)
{
    uint64_t bits;
    if (!may_look() || bytes != sizeof(bits) ||
        !process_memory_read_argument((const void *)set, &bits, sizeof(bits)))
        return call_result(make_call(number, fd, set, bytes, flags, fifth));
    const sigset_t wanted = signal_bits_set(bits);
    return signalfd((int)fd, &wanted, number == SYS_signalfd4 ? (int)flags : 0);
}

/* An action as the kernel has it. */
struct raw_action {
    uint64_t handler, flags, restorer, mask;
};

enum { RAW_RESTORER = 0x04000000 }; /* in its flags: it says where a handler returns to */

static struct sigaction action_of_raw(const struct raw_action *raw)
{
    struct sigaction action = { .sa_mask = signal_bits_set(raw->mask),
                                .sa_flags = (int)(raw->flags & ~(uint64_t)RAW_RESTORER) };
    memcpy(&action.sa_sigaction, &raw->handler, sizeof(raw->handler));
    return action;
}

/* What is on as the kernel tells it, but for what of it is ours: it is the program's ACTION. */
static void show_action(const struct sigaction *action, struct raw_action *raw)
{
    bool has_handler = (uintptr_t)action->sa_handler > (uintptr_t)SIG_IGN;
    uint64_t restorer_flag = has_handler ? RAW_RESTORER : 0;
    memcpy(&raw->handler, &action->sa_sigaction, sizeof(raw->handler));
    raw->flags = (uint32_t)action->sa_flags | (raw->flags & restorer_flag);
    raw->restorer = raw->flags & RAW_RESTORER ? raw->restorer : 0;
    raw->mask = signal_bits_blockable(signal_bits_of(&action->sa_mask));
}

/* The C library keeps two for itself. */
static bool is_signal_of_programs(long signal)
{
    return signal > 0 && signal < _NSIG && (signal <= SIGSYS || signal >= SIGRTMIN);
}

/* The kernel is asked first for the action that is on, which it refuses to write where nothing can
 * be written. */
static long change_action(long number, long signal, long action, long old_action, long bytes,
                          long fifth)
{
    struct raw_action raw;
    struct sigaction wanted, before;
    if (!may_look() || bytes != sizeof(raw.mask) || !is_signal_of_programs(signal) ||
        !sampling_signal_is_own_process() ||
        (action != 0 && !process_memory_read_argument((const void *)action, &raw, sizeof(raw))))
        return call_result(make_call(number, signal, action, old_action, bytes, fifth));
    long result = make_call(number, signal, 0, old_action, bytes, fifth);
    if (result < 0)
        return interpose_syscall_fail(result);
    if (action != 0)
        wanted = action_of_raw(&raw);
    if (sigaction((int)signal, action != 0 ? &wanted : NULL, &before) < 0)
        return -1;
    if (old_action != 0)
        show_action(&before, (struct raw_action *)old_action);
    return 0;
}

/* Not where nobody may ask: then it is believed. */
static bool is_no_environment(long environment)
{
    uint64_t first;
    return environment != 0 && !process_memory_is_refused() && !process_memory_is_read_directly() &&
           !process_memory_read_argument((const void *)environment, &first, sizeof(first));
}

static long run_program(long number, long path, long arguments, long environment, long fourth,
                        long fifth)
{
    if (is_no_environment(environment))
        return call_result(make_call(number, path, arguments, environment, fourth, fifth));
    return execve((const char *)path, (char *const *)arguments, (char *const *)environment);
}

static long run_program_at(long number, long directory_fd, long path, long arguments,
                           long environment, long flags)
{
    if (is_no_environment(environment))
        return call_result(make_call(number, directory_fd, path, arguments, environment, flags));
    return execveat((int)directory_fd, (const char *)path, (char *const *)arguments,
                    (char *const *)environment, (int)flags);
}

static long enter_new_namespaces(long number, long flags, long second, long third, long fourth,
                                 long fifth)
{
    (void)number, (void)second, (void)third, (void)fourth, (void)fifth;
    return unshare((int)flags);
}

static long enter_namespaces(long number, long fd, long type, long third, long fourth, long fifth)
{
    (void)number, (void)third, (void)fourth, (void)fifth;
    return setns((int)fd, (int)type);
}

/* What is called instead of the kernel. */
#define REPLACEMENTS(X)                                                                            \
    X(NOTICED, interpose_syscall_notice_first)                                                     \
    X(ACTION, change_action)                                                                       \
    X(MASK, change_mask)                                                                           \
    X(SIGNALFD, make_signal_descriptor)                                                            \
    X(EXEC, run_program)                                                                           \
    X(EXEC_AT, run_program_at)                                                                     \
    X(UNSHARE, enter_new_namespaces)                                                               \
    X(SETNS, enter_namespaces)

#define X(name, function) REPLACED_BY_##name,
enum { NOT_REPLACED, REPLACEMENTS(X) };
#undef X

/* By number. Bytes, since each process would get its own copy of a table of addresses. */
const uint8_t interpose_syscall_replacements[SYS_clone3 + 1] = {
    [SYS_rt_sigaction] = REPLACED_BY_ACTION, [SYS_rt_sigprocmask] = REPLACED_BY_MASK,
    [SYS_clone] = REPLACED_BY_NOTICED,       [SYS_fork] = REPLACED_BY_NOTICED,
    [SYS_execve] = REPLACED_BY_EXEC,         [SYS_exit] = REPLACED_BY_NOTICED,
    [SYS_prctl] = REPLACED_BY_NOTICED,       [SYS_unshare] = REPLACED_BY_UNSHARE,
    [SYS_signalfd] = REPLACED_BY_SIGNALFD,   [SYS_signalfd4] = REPLACED_BY_SIGNALFD,
    [SYS_setns] = REPLACED_BY_SETNS,         [SYS_seccomp] = REPLACED_BY_NOTICED,
    [SYS_execveat] = REPLACED_BY_EXEC_AT,    [SYS_clone3] = REPLACED_BY_NOTICED,
};

#define X(name, function) [REPLACED_BY_##name] = function,
call_function *const interpose_syscall_functions[] = { REPLACEMENTS(X) };
#undef X

PROFD_INTERPOSED long syscall(long number, ...);

_Static_assert(CALL_BY_NUMBER_OFFSET == -8, "as the code below has it");

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

__asm__(".set interpose_syscall_last, " TEXT(SYS_clone3));

__asm__(".pushsection .text.syscall, \"ax\", @progbits\n"
        ".globl syscall\n"
        ".globl interpose_syscall_notice_first\n"
        ".hidden interpose_syscall_notice_first\n"
        ".globl call_by_number_was_made\n"
        ".type syscall, @function\n"
        ".type interpose_syscall_notice_first, @function\n"
        ".p2align 4\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    movl %edi, %eax\n"
        "    cmpl $interpose_syscall_last, %eax\n"
        "    ja 1f\n"
        "    leaq interpose_syscall_replacements(%rip), %r11\n"
        "    movzbl (%r11,%rax), %eax\n"
        "    testl %eax, %eax\n"
        "    jz 1f\n"
        "    leaq interpose_syscall_functions(%rip), %r11\n"
        "    jmp *(%r11,%rax,8)\n"
        "1:  movq %rdi, -8(%rsp)\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    syscall\n"
        ".hidden call_by_number_was_made\n"
        "call_by_number_was_made:\n"
        "    cmpq $-4095, %rax\n"
        "    jae 3f\n"
        "    ret\n"
        "interpose_syscall_notice_first:\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r8\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r9\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call interpose_syscall_notice\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r9\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r8\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    testl %eax, %eax\n"
        "    jz 1b\n"
        "    jmp interpose_syscall_copy\n"
        "3:  movq %rax, %rdi\n"
        "    jmp interpose_syscall_fail\n"
        "    .cfi_endproc\n"
        ".size syscall, .-syscall\n"
        ".popsection\n");
