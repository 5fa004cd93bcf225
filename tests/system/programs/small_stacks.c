/* small_stacks [urgent | both | filtered]: children with signal stacks that are hardly larger than
 * what the kernel saves, and than twice that, work for some ticks in a handler there: of SIGUSR1;
 * of SIGURG; of SIGUSR1 where SIGURG and SIGWINCH have handlers as well; behind a filter that lets
 * everything through. 0 when each of them ended with 5, and left alone what is below its stack.
 *
 * small_stacks section: the handler's work is in a section in which SIGUSR2 is blocked. 0 as above.
 *
 * small_stacks runs: the handler runs programs in children. 0 as above.
 *
 * small_stacks left: a handler of SIGSEGV on such a stack is left by longjmp(), and the program
 * works on. 0 when a program that it runs then has SIGURG and SIGWINCH open. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/call_filter.h"
#include "tests/system/programs/burn.h"

enum {
    MOST_BYTES = 64 * 1024,
    GUARD_BYTES = 16 * 1024,
    OWN_BYTES = 2048,
    STEP_BYTES = 1024,
    STATUS = 5,
    GUARD = 0x5a,
};

static _Alignas(16) char stack[GUARD_BYTES + MOST_BYTES];
static jmp_buf after_fault;

static void on_signal(int number)
{
    (void)number;
    burn_outer(0.01);
}

/* The mask is as it was before us: nothing but the signal of the handler is blocked. */
static void work_in_section(int number)
{
    sigset_t section, before;
    sigemptyset(&section);
    sigaddset(&section, SIGUSR2);
    if (sigprocmask(SIG_BLOCK, &section, &before) < 0 || sigismember(&before, SIGURG) == 1 ||
        sigismember(&before, SIGWINCH) == 1 || sigismember(&before, number) != 1)
        _exit(3);
    burn_outer(0.01);
    if (sigprocmask(SIG_SETMASK, &before, NULL) < 0)
        _exit(3);
    burn_outer(0.01);
}

static void await_success(pid_t pid)
{
    int status = 1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        _exit(4);
}

/* What a child of vfork() writes below the stack, its parent finds there. */
static void run_programs(int number)
{
    pid_t pid = fork();
    (void)number;
    if (pid == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(4);
    }
    await_success(pid);
    pid = vfork();
    if (pid == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(4);
    }
    await_success(pid);
}

static void on_nothing(int number)
{
    (void)number;
}

static void leave(int number)
{
    (void)number;
    longjmp(after_fault, 1);
}

static int set_handler(int number, void (*handler)(int), size_t stack_bytes)
{
    const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
    const stack_t own = { .ss_sp = stack + GUARD_BYTES, .ss_size = stack_bytes };
    return sigaction(number, &action, NULL) < 0 || sigaltstack(&own, NULL) < 0 ? -1 : 0;
}

static bool is_guard_whole(void)
{
    for (size_t i = 0; i < GUARD_BYTES; i++)
        if (stack[i] != GUARD)
            return false;
    return true;
}

static int prepare(const char *way)
{
    if (strcmp(way, "filtered") == 0)
        return filter_calls(NULL, 0, SECCOMP_RET_ALLOW);
    if (strcmp(way, "both") == 0 &&
        (signal(SIGURG, on_nothing) == SIG_ERR || signal(SIGWINCH, on_nothing) == SIG_ERR))
        return -1;
    return 0;
}

static void (*handler_of(const char *way))(int)
{
    if (strcmp(way, "section") == 0)
        return work_in_section;
    return strcmp(way, "runs") == 0 ? run_programs : on_signal;
}

__attribute__((noinline)) static void work_on_afterwards(void)
{
    burn_outer(0.02);
    __asm__ volatile(""); /* else it would be a jump */
}

/* To be seen in samples: the section is over. */
static void work_afterwards(const char *way)
{
    if (strcmp(way, "section") == 0)
        work_on_afterwards();
}

/* The first ticks are before the filter: a process that begins behind one is not sampled. */
static void work_on(size_t bytes, const char *way)
{
    int number = strcmp(way, "urgent") == 0 ? SIGURG : SIGUSR1;
    memset(stack, GUARD, GUARD_BYTES);
    burn_outer(0.01);
    if (prepare(way) < 0 || set_handler(number, handler_of(way), bytes) < 0)
        _exit(2);
    raise(number);
    work_afterwards(way);
    _exit(is_guard_whole() ? STATUS : 1);
}

static int is_enough(size_t bytes, const char *way)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        work_on(bytes, way);
    bool is_good = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
                   WEXITSTATUS(status) == STATUS;
    if (!is_good)
        fprintf(stderr, "with a stack of %zu bytes a child ended with status %#x\n", bytes,
                (unsigned)status);
    return is_good;
}

static int are_enough(const char *way)
{
    size_t least = getauxval(AT_MINSIGSTKSZ) + OWN_BYTES;
    int is_good = 1;
    for (size_t bytes = least; bytes <= 2 * least + OWN_BYTES && bytes <= MOST_BYTES;
         bytes += STEP_BYTES)
        is_good &= is_enough(bytes, way);
    return is_good;
}

/* The usual way back from a fault: the mask is not restored, but for the signal that came. */
static int fault_and_go_on(void)
{
    sigset_t fault;
    if (set_handler(SIGSEGV, leave, getauxval(AT_MINSIGSTKSZ) + OWN_BYTES) < 0)
        return -1;
    if (_setjmp(after_fault) == 0)
        raise(SIGSEGV);
    sigemptyset(&fault);
    sigaddset(&fault, SIGSEGV);
    return sigprocmask(SIG_UNBLOCK, &fault, NULL);
}

static int run_what_sees_masks(void)
{
    execl("/bin/grep", "grep", "-qx", "SigBlk:\t0*", "/proc/self/status", (char *)NULL);
    return 2;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "left") == 0) {
        if (fault_and_go_on() < 0)
            return 2;
        work_on_afterwards();
        return run_what_sees_masks();
    }
    return are_enough(way) ? 0 : 1;
}
