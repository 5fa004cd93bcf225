/* simple_signals: handles SIGURG by each relative of signal(), works for a while in which nobody
 * sends it, and then sends it; also by the number of the call. Ignores and holds it, too, and has
 * it interrupt calls. A handler that was read past the library in front is called like any
 * function. 0 when all was as the C library has it. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* it is about them */

typedef void handler(int number);
typedef handler *setter(int number, handler *set);
typedef int action_function(int number, const struct sigaction *set, struct sigaction *old);

extern handler *bsd_signal(int number, handler *set);

static volatile sig_atomic_t calls;
static handler *called;

static void count_call(int number)
{
    (void)number;
    calls++;
}

static int calls_of(int number)
{
    calls = 0;
    raise(number);
    return calls;
}

static bool is_action(int number, handler *expected)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == expected;
}

/* To be seen in samples. */
#define WORK(way)                                                                                  \
    __attribute__((noinline)) static void work_with_##way(void)                                    \
    {                                                                                              \
        burn_outer(0.05);                                                                          \
        __asm__ volatile(""); /* else it would be a jump */                                        \
    }

WORK(signal)
WORK(bsd_signal)
WORK(ssignal)
WORK(sigset)
WORK(sysv_signal)
WORK(by_number)
WORK(held)
WORK(ignored)

/* RESETS: the handler is called once. */
static bool handles(setter *set, void (*work)(void), bool resets)
{
    calls = 0;
    if (set(SIGURG, count_call) != SIG_DFL || !is_action(SIGURG, count_call))
        return false;
    work();
    bool is_right = calls == 0 && calls_of(SIGURG) == 1 && calls_of(SIGURG) == (resets ? 0 : 1);
    (void)signal(SIGURG, SIG_DFL);
    return is_right;
}

struct raw_action {
    uintptr_t handler, flags, restorer;
    uint64_t mask;
};

static long act_by_number(int number, const struct raw_action *set, struct raw_action *old)
{
    return syscall(SYS_rt_sigaction, number, set, old, sizeof(set->mask));
}

/* Handlers return to where those of the C library do. */
static handler *signal_by_number(int number, handler *set)
{
    struct raw_action raw, old;
    if (signal(SIGUSR2, count_call) == SIG_ERR || act_by_number(SIGUSR2, NULL, &raw) < 0)
        return SIG_ERR;
    raw.handler = (uintptr_t)set;
    return act_by_number(number, &raw, &old) == 0 && act_by_number(number, NULL, &raw) == 0 &&
                   raw.handler == (uintptr_t)set
               ? (handler *)old.handler // NOLINT: as the kernel has it
               : SIG_ERR;
}

static bool holds(void)
{
    (void)signal(SIGURG, count_call);
    bool is_held = sighold(SIGURG) == 0 && calls_of(SIGURG) == 0;
    work_with_held();
    bool is_let = sigrelse(SIGURG) == 0 && calls == 1;
    bool is_set = sigset(SIGURG, SIG_HOLD) == count_call && calls_of(SIGURG) == 0 &&
                  sigset(SIGURG, count_call) == SIG_HOLD && calls == 1;
    return is_held && is_let && is_set && signal(SIGURG, SIG_DFL) == count_call;
}

static bool ignores(void)
{
    (void)signal(SIGURG, count_call);
    if (sigignore(SIGURG) != 0 || calls_of(SIGURG) != 0 || !is_action(SIGURG, SIG_IGN))
        return false;
    work_with_ignored();
    return signal(SIGURG, SIG_DFL) == SIG_IGN;
}

static bool lets_calls_fail(void)
{
    struct sigaction action;
    return sigaction(SIGURG, NULL, &action) == 0 && !(action.sa_flags & SA_RESTART);
}

static bool interrupts(void)
{
    bool fails = siginterrupt(SIGURG, 1) == 0 && signal(SIGURG, count_call) == SIG_DFL &&
                 lets_calls_fail() && bsd_signal(SIGURG, count_call) == count_call &&
                 lets_calls_fail();
    bool goes_on = siginterrupt(SIGURG, 0) == 0 && !lets_calls_fail() &&
                   signal(SIGURG, SIG_DFL) == count_call && !lets_calls_fail();
    return fails && goes_on;
}

/* sigset() is the only one that takes it. */
static bool takes_what_is_no_handler(void)
{
    return signal(SIGURG, SIG_ERR) == SIG_ERR && sigset(SIGURG, SIG_ERR) == SIG_DFL &&
           is_action(SIGURG, SIG_ERR) && sigset(SIGURG, SIG_DFL) == SIG_ERR;
}

/* It has this process' memory. */
static bool is_default_in_borrower(void)
{
    int status = 1;
    pid_t child = vfork();
    if (child == 0)
        _exit(is_action(SIGURG, SIG_DFL) ? 0 : 1);
    return waitpid(child, &status, 0) == child && status == 0;
}

/* With what a function may leave in the registers of the other arguments. */
static void call_handler(int number)
{
    typedef void any_function(void);
    typedef void registers(int number, uintptr_t second, uintptr_t third);
    ((registers *)(any_function *)called)(number, 1, 1);
}

static bool calls_what_was_read(void)
{
    struct sigaction action, own = { .sa_handler = call_handler };
    void *library = dlopen("libc.so.6", RTLD_LAZY);
    action_function *real = (action_function *)dlsym(library, "sigaction");
    (void)signal(SIGUSR1, count_call);
    if (real(SIGUSR1, &own, &action) < 0)
        return false;
    called = action.sa_handler;
    return calls_of(SIGUSR1) == 1;
}

int main(void)
{
    return handles(signal, work_with_signal, false) &&
                   handles(bsd_signal, work_with_bsd_signal, false) &&
                   handles(ssignal, work_with_ssignal, false) &&
                   handles(sigset, work_with_sigset, false) &&
                   handles(sysv_signal, work_with_sysv_signal, true) &&
                   handles(signal_by_number, work_with_by_number, false) && holds() && ignores() &&
                   interrupts() && takes_what_is_no_handler() && is_default_in_borrower() &&
                   calls_what_was_read()
               ? 0
               : 1;
}
