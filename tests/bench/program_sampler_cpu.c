/* The sampler's own CPU use while one thread is busy 40 frames deep, above that of a thread which
 * only sleeps for the same interval: on a virtual machine waking up alone can cost tens of
 * microseconds. Run under `profctl run` at 1 ms. */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/deep.h"
#include "tests/bench/own_threads.h"

enum { INTERVAL_NS = 1000000 };

static struct deep_node pool[DEEP_POOL];
static struct deep_node *tree;
static pid_t sleeper;

/* In a process of its own, which is not profiled. */
static _Noreturn void sleep_for_ever(void)
{
    struct timespec wake;
    prctl(PR_SET_TIMERSLACK, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    clock_gettime(CLOCK_MONOTONIC, &wake);
    for (;;) {
        wake.tv_nsec += INTERVAL_NS;
        if (wake.tv_nsec >= 1000000000) {
            wake.tv_nsec -= 1000000000;
            wake.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    }
}

static int start_sleeper(const char *self)
{
    sleeper = fork();
    if (sleeper == 0) {
        setenv("PROFD_DISABLE", "1", 1);
        execl(self, self, "sleep", (char *)NULL);
        _exit(1);
    }
    return sleeper > 0 ? 0 : -1;
}

static double sleeper_cpu_ns(void)
{
    char path[64], text[64] = "";
    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)sleeper);
    FILE *stream = fopen(path, "r");
    if (stream == NULL || fgets(text, sizeof(text), stream) == NULL)
        exit(1);
    fclose(stream);
    return strtod(text, NULL);
}

/* Shares of a CPU in percent, over half a second. */
static void shares(double *sampler, double *sleeping)
{
    double start = bench_now_ns(), cpu = threads_cpu_ns("profd"), slept = sleeper_cpu_ns();
    while (bench_now_ns() < start + 500e6)
        deep_sink += deep_evaluate(tree);
    double elapsed = bench_now_ns() - start;
    *sampler = 100 * (threads_cpu_ns("profd") - cpu) / elapsed;
    *sleeping = 100 * (sleeper_cpu_ns() - slept) / elapsed;
}

int main(int argc, char **argv)
{
    unsigned used = 0;
    double sampler[BENCH_ROUNDS + 1], sleeping[BENCH_ROUNDS + 1], above[BENCH_ROUNDS + 1];
    if (argc > 1 && strcmp(argv[1], "sleep") == 0)
        sleep_for_ever();
    if (start_sleeper(argv[0]) < 0)
        return 1;
    tree = deep_tree(pool, &used, DEEP_LEVELS, 1);
    for (int i = 0; i <= BENCH_ROUNDS; i++) {
        shares(&sampler[i], &sleeping[i]);
        above[i] = sampler[i] - sleeping[i];
    }
    kill(sleeper, SIGKILL);
    waitpid(sleeper, NULL, 0);
    /* The first round warms up. */
    bench_figure("sampler's CPU at 1 ms, a thread of 40 frames",
                 bench_median(sampler + 1, BENCH_ROUNDS), "%", 2);
    bench_figure("... above a thread that only sleeps for 1 ms",
                 bench_median(above + 1, BENCH_ROUNDS), "%", 100);
    bench_figure("... which uses", bench_median(sleeping + 1, BENCH_ROUNDS), "%", 100);
    return 0;
}
