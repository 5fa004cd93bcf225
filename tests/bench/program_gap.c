/* What an interruption takes from a thread, seen by the thread: it reads the TSC back to back, 40
 * frames deep with 8 KB of stack, and keeps the gaps.
 *
 *     program_gap empty|sampled SECONDS
 *
 * empty: signals at 1 ms to an empty handler; sampled: run under profctl at 1 ms. Prints the median
 * in ns of the largest gaps, as many as there were milliseconds: those are the samples, since the
 * timer ticks of the machine take less. Gaps of more than 50 us are somebody else's turn on the CPU
 * and don't count. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "tests/bench/bench.h"
#include "tests/bench/deep.h"

/* A gap's least ticks are far above the distance of two readings, and below any interruption. */
enum { GAP_MIN_TICKS = 400, MAX_GAPS = 100000, GAP_MAX_NS = 50000 };

struct watch {
    uint64_t ticks; /* to watch */
    size_t count;
    double gaps[MAX_GAPS]; /* in ticks */
};

static atomic_bool is_done;
static pthread_t measured_thread;

static void empty_handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
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

static uint64_t watch_gaps(void *argument)
{
    struct watch *watch = argument;
    uint64_t now = __rdtsc(), end = now + watch->ticks;
    while (now < end && watch->count < MAX_GAPS) {
        uint64_t before = now;
        now = __rdtsc();
        if (now - before > GAP_MIN_TICKS)
            watch->gaps[watch->count++] = (double)(now - before);
    }
    return 0;
}

/* The median of the largest WANTED gaps of at most MAXIMUM ticks. */
static double median_of_largest(struct watch *watch, size_t wanted, double maximum)
{
    size_t count = watch->count;
    if (count == 0)
        return 0;
    qsort(watch->gaps, count, sizeof(watch->gaps[0]), bench_compare_doubles);
    while (count > 1 && watch->gaps[count - 1] > maximum)
        count--;
    return watch->gaps[count - (wanted < count ? wanted : count) / 2 - 1];
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
    static struct watch watch;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 1, rate = ticks_per_ns();
    int is_empty = argc > 1 && strcmp(argv[1], "empty") == 0;
    struct sigaction action = { .sa_sigaction = empty_handler,
                                .sa_flags = SA_SIGINFO | SA_RESTART };
    pthread_t sender;
    watch.ticks = (uint64_t)(seconds * 1e9 * rate);
    measured_thread = pthread_self();
    if (is_empty && (sigaction(SIGUSR1, &action, NULL) < 0 ||
                     pthread_create(&sender, NULL, send_signals, NULL) != 0))
        return 1;
    deep_call(DEEP_FRAMES - 4, watch_gaps, &watch);
    atomic_store(&is_done, 1);
    if (is_empty)
        pthread_join(sender, NULL);
    bench_value("gap_ns",
                median_of_largest(&watch, (size_t)(seconds * 1000), GAP_MAX_NS * rate) / rate);
    return 0;
}
