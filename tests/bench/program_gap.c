/* What an interruption takes from a thread, seen by the thread: it reads the TSC back to back below
 * so many FRAMES, which hold 200 bytes of stack each, and keeps the gaps.
 *
 *     program_gap bare|cpu|perf|wall|sampled SECONDS FRAMES RATE
 *
 * RATE: how many interruptions are awaited in a second. cpu, perf, wall: signals to an empty
 * handler from a timer on the thread's CPU clock, from a perf event, or from another thread;
 * sampled: run under a profiler; bare: the kernel's ticks alone. Prints the median in ns of the
 * largest gaps, as many as are awaited, as "gap_ns", and the CPU time of the thread as "own_cpu_s".
 * Gaps of more than 50 us are somebody else's turn on the CPU, and not part of the SECONDS. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "tests/bench/bench.h"
#include "tests/bench/deep.h"

/* A gap's least ticks are far above the distance of two readings, and below any interruption. */
enum { GAP_MIN_TICKS = 400, MAX_GAPS = 100000, GAP_MAX_NS = 50000, INTERVAL_NS = 1000000 };

struct watch {
    uint64_t ticks;   /* to watch */
    uint64_t maximum; /* what is more is somebody else's */
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
        next.tv_nsec += INTERVAL_NS;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        pthread_kill(measured_thread, SIGUSR1);
    }
    return NULL;
}

static int start_sender(void)
{
    pthread_t sender;
    return pthread_create(&sender, NULL, send_signals, NULL) == 0 ? 0 : -1;
}

static int start_timer(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
    struct itimerspec interval = { { .tv_nsec = INTERVAL_NS }, { .tv_nsec = INTERVAL_NS } };
    timer_t timer;
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) < 0)
        return -1;
    return timer_settime(timer, 0, &interval, NULL);
}

static int start_event(void)
{
    struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE,
                                          .size = sizeof(attributes),
                                          .config = PERF_COUNT_SW_CPU_CLOCK,
                                          .sample_period = INTERVAL_NS };
    struct f_owner_ex owner = { F_OWNER_TID, gettid() };
    int event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0 || fcntl(event, F_SETSIG, SIGUSR1) < 0 || fcntl(event, F_SETOWN_EX, &owner) < 0)
        return -1;
    return fcntl(event, F_SETFL, O_ASYNC);
}

/* What is to interrupt this thread. */
static int start_interruptions(const char *mode)
{
    struct sigaction action = { .sa_sigaction = empty_handler,
                                .sa_flags = SA_SIGINFO | SA_RESTART };
    measured_thread = pthread_self();
    if (strcmp(mode, "bare") == 0 || strcmp(mode, "sampled") == 0)
        return 0;
    if (sigaction(SIGUSR1, &action, NULL) < 0)
        return -1;
    if (strcmp(mode, "cpu") == 0)
        return start_timer();
    return strcmp(mode, "perf") == 0 ? start_event() : start_sender();
}

static uint64_t watch_gaps(void *argument)
{
    struct watch *watch = argument;
    uint64_t now = __rdtsc(), end = now + watch->ticks;
    while (now < end && watch->count < MAX_GAPS) {
        uint64_t before = now;
        now = __rdtsc();
        if (now - before > watch->maximum)
            end += now - before;
        else if (now - before > GAP_MIN_TICKS)
            watch->gaps[watch->count++] = (double)(now - before);
    }
    return 0;
}

/* The median of the largest WANTED gaps. */
static double median_of_largest(struct watch *watch, size_t wanted)
{
    size_t count = watch->count;
    if (count == 0)
        return 0;
    qsort(watch->gaps, count, sizeof(watch->gaps[0]), bench_compare_doubles);
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
    if (argc != 5)
        return 2;
    double seconds = strtod(argv[2], NULL), ticks = ticks_per_ns(), awaited = strtod(argv[4], NULL);
    int frames = (int)strtol(argv[3], NULL, 10);
    watch.ticks = (uint64_t)(seconds * 1e9 * ticks);
    watch.maximum = (uint64_t)(GAP_MAX_NS * ticks);
    if (start_interruptions(argv[1]) < 0) {
        perror(argv[1]);
        return 1;
    }
    /* main with three outside it, and watch_gaps, are frames as well. */
    deep_call(frames - 5, watch_gaps, &watch);
    atomic_store(&is_done, 1);
    bench_value("gap_ns", median_of_largest(&watch, (size_t)(seconds * awaited)) / ticks);
    bench_value("own_cpu_s", bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1e9);
    return 0;
}
