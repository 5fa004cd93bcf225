/* cuts_waits: waits again and again, and is cut short each time by a handler that blocks no other
 * signal, at any moment of the clock, for some seconds or until enough were. Prints how many waits
 * did not fail with EINTR though the handler had cut them short; the status is 1 when there was
 * one. A signal that comes before its wait has begun does not count: the next one follows. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#include "tests/system/programs/burn.h"

enum {
    ROUNDS = 40 * 1000,
    LEAST_CUTS = 100,
    WAIT_MS = 60 * 1000,
    NEXT_SIGNAL_NS = 20 * 1000 * 1000
};

static const uint64_t most_ns = UINT64_C(8000000000);

static _Atomic int round_number; /* of the wait that is about to begin */
static _Atomic int cuts;         /* waits in which a signal found the thread */
static int last_cut;             /* the number of the last of them */
static _Atomic bool has_end;
static pthread_t waiter;

/* A second signal may come before the first instruction behind the wait, where the registers are
 * still as the first one found them. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (has_end || ((const ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] != -EINTR ||
        last_cut == round_number)
        return;
    last_cut = round_number;
    cuts++;
}

static void *send_signals(void *unused)
{
    for (int seen = 0; !atomic_load(&has_end);) {
        uint64_t last_ns = now_ns();
        while (atomic_load(&round_number) == seen && now_ns() - last_ns < NEXT_SIGNAL_NS)
            (void)sched_yield();
        seen = atomic_load(&round_number);
        for (uint64_t end_ns = now_ns() + (uint64_t)(seen % 5000); now_ns() < end_ns;)
            ;
        (void)pthread_kill(waiter, SIGUSR1);
    }
    return unused;
}

int main(void)
{
    const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    pthread_t sender;
    int failed = 0;
    waiter = pthread_self();
    if (sigaction(SIGUSR1, &action, NULL) < 0 ||
        pthread_create(&sender, NULL, send_signals, NULL) != 0)
        return 2;
    uint64_t end_ns = now_ns() + most_ns;
    while (failed < ROUNDS && (now_ns() < end_ns || cuts < LEAST_CUTS)) {
        atomic_fetch_add(&round_number, 1);
        failed += poll(NULL, 0, WAIT_MS) < 0 && errno == EINTR;
    }
    atomic_store(&has_end, true);
    if (pthread_join(sender, NULL) != 0)
        return 2;
    printf("%d\n", cuts - failed);
    return cuts > failed;
}
