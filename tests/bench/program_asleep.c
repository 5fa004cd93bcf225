/* How often an idle process of 100 threads is woken for being profiled: those threads that are not
 * its own, and its own by signals. Its parent looks, since who looks is not idle. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/process_threads.h"

enum { THREADS = 100, SETTLE_SECONDS = 2, SECONDS = 10 };

/* What the parent is told by the idle process. */
static struct told {
    pid_t threads[THREADS];
    pthread_barrier_t are_there;
} * told;

static void *sleep_forever(void *argument)
{
    *(pid_t *)argument = gettid();
    pthread_barrier_wait(&told->are_there);
    for (;;)
        poll(NULL, 0, -1);
    return NULL;
}

/* The idle process. */
static void start_threads(void)
{
    pthread_t thread;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, sleep_forever, &told->threads[i]) != 0)
            _exit(1);
    }
    for (;;)
        poll(NULL, 0, -1);
}

static bool is_own(const char *task)
{
    pid_t tid = (pid_t)strtol(task, NULL, 10);
    for (int i = 0; i < THREADS; i++) {
        if (told->threads[i] == tid)
            return true;
    }
    return false;
}

/* The main thread is one of its own, too, but not waited for. */
static double wakeups_of_others(pid_t process, const char *task)
{
    bool is_main = strtol(task, NULL, 10) == process;
    return is_main || is_own(task) ? 0 : task_wakeups(process, task);
}

static double wakeups_of_own(pid_t process, const char *task)
{
    return is_own(task) ? task_wakeups(process, task) : 0;
}

static bool prepare_told(void)
{
    pthread_barrierattr_t attributes;
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return told != MAP_FAILED && pthread_barrierattr_init(&attributes) == 0 &&
           pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
           pthread_barrier_init(&told->are_there, &attributes, THREADS + 1) == 0;
}

int main(void)
{
    pid_t idle = prepare_told() ? fork() : -1;
    if (idle < 0)
        return 1;
    if (idle == 0)
        start_threads();
    pthread_barrier_wait(&told->are_there);
    sleep(SETTLE_SECONDS);
    double others = threads_sum(idle, wakeups_of_others);
    double own = threads_sum(idle, wakeups_of_own);
    sleep(SECONDS);
    bench_figure("wake-ups of the agent in 10 s, 100 idle threads",
                 threads_sum(idle, wakeups_of_others) - others, "wake-ups", 0);
    bench_figure("... of the threads themselves", threads_sum(idle, wakeups_of_own) - own,
                 "wake-ups", 0);
    kill(idle, SIGKILL);
    return waitpid(idle, NULL, 0) == idle ? 0 : 1;
}
