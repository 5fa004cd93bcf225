/* What interruptions take from a thread, seen by the thread: it reads the TSC back to back, 40
 * frames deep with 8 KB of stack, and adds up the gaps.
 *
 *     program_gap none|empty|sampled SECONDS
 *
 * none: nobody interrupts it; empty: signals at 1 ms to an empty handler; sampled: run under
 * profctl at 1 ms. Prints the ns lost per second to gaps, and the number of signals of the empty
 * handler. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "tests/bench/bench.h"
#include "tests/bench/deep.h"

enum { GAP_TICKS = 400 }; /* far above the distance of two readings, far below any interruption */

static atomic_uint signals_taken;
static atomic_bool is_done;
static pthread_t measured_thread;

static void empty_handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    atomic_fetch_add_explicit(&signals_taken, 1, memory_order_relaxed);
}

static void *send_signals(void *unused)
{
    struct timespec next;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!atomic_load(&is_done)) {
        next.tv_nsec += 1000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        pthread_kill(measured_thread, SIGUSR1);
    }
    return NULL;
}

/* Ticks in gaps, over TICKS ticks. */
static uint64_t watch_gaps(void *ticks)
{
    uint64_t now = __rdtsc(), end = now + *(uint64_t *)ticks, lost = 0;
    while (now < end) {
        uint64_t before = now;
        now = __rdtsc();
        if (now - before > GAP_TICKS)
            lost += now - before;
    }
    deep_sink = lost;
    return 0;
}

static double ticks_per_ns(void)
{
    double start_ns = bench_now_ns();
    uint64_t start = __rdtsc();
    while (bench_now_ns() < start_ns + 20e6)
        BENCH_BARRIER();
    return (double)(__rdtsc() - start) / (bench_now_ns() - start_ns);
}

int main(int argc, char **argv)
{
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 1, rate = ticks_per_ns();
    int is_empty = argc > 1 && strcmp(argv[1], "empty") == 0;
    uint64_t ticks = (uint64_t)(seconds * 1e9 * rate);
    struct sigaction action = { .sa_sigaction = empty_handler,
                                .sa_flags = SA_SIGINFO | SA_RESTART };
    pthread_t sender;
    measured_thread = pthread_self();
    if (is_empty && (sigaction(SIGUSR1, &action, NULL) < 0 ||
                     pthread_create(&sender, NULL, send_signals, NULL) != 0))
        return 1;
    deep_call(DEEP_FRAMES - 4, watch_gaps, &ticks);
    double lost_ns = (double)deep_sink / rate;
    atomic_store(&is_done, 1);
    if (is_empty)
        pthread_join(sender, NULL);
    bench_value("lost_ns_per_second", lost_ns / seconds);
    bench_value("signals", atomic_load(&signals_taken));
    return 0;
}
