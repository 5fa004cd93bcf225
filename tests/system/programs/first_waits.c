/* first_waits CASE: a loop that tells the ends of its iterations, and in each of ten waits for 50
 * ms and computes for 1. Says what its thread's CPU clock knew of them, "truth CPU_NS", and what
 * the program's own snapshot of its groups tells of each thread, "top LONG CPU_NS": iterations that
 * took more than 32 ms on the wall.
 *
 * sleeps: in one sleep. peeks: in a poll, after one of 0 ms. again: in polls of 10 ms for what
 * never comes. interrupted: in a sleep that goes on after each of many signals, whose handler waits
 * too. left: in a poll that is left by siglongjmp, before a unit. cancelled: its thread is
 * cancelled in a wait. unmeasured: in a unit that nobody measures. blocked: for others, as it says.
 * forks: in polls, of which a handler of signals that forks interrupts the first. */
#include <errno.h>
#include <poll.h>
#include <profd.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { ITERATIONS = 10, WAIT_MS = 50, MS = 1000 * 1000, LONG_PLACE = 5 };

PROFD_UNIT(unit, "handler", "case");

static sigjmp_buf out_of_wait;
static uint64_t start_ns;

static void burn_ms(uint64_t ms)
{
    uint64_t end_ns = thread_cpu_ns() + ms * MS;
    while (thread_cpu_ns() < end_ns)
        burn_sink += burn_sink * 3 + 1;
}

static void sleep_once(void)
{
    (void)usleep(WAIT_MS * 1000);
}

static void peek_and_wait(void)
{
    (void)poll(NULL, 0, 0);
    (void)poll(NULL, 0, WAIT_MS);
}

static void wait_again(void)
{
    for (int i = 0; i < WAIT_MS / 10; i++)
        (void)poll(NULL, 0, 10);
}

static void set_timer(int first_ms, int then_ms)
{
    const struct itimerval timer = { .it_value = { .tv_usec = first_ms * 1000 },
                                     .it_interval = { .tv_usec = then_ms * 1000 } };
    if (setitimer(ITIMER_REAL, &timer, NULL) != 0)
        exit(1);
}

static void wait_in_handler(int number)
{
    int call_errno = errno;
    (void)number;
    (void)poll(NULL, 0, 1);
    errno = call_errno;
}

static void sleep_on(void)
{
    struct timespec left = { .tv_nsec = WAIT_MS * MS };
    signal(SIGALRM, wait_in_handler);
    set_timer(10, 10);
    while (nanosleep(&left, &left) != 0) {
        if (errno != EINTR)
            exit(1);
    }
    set_timer(0, 0);
}

static void jump_out(int number)
{
    (void)number;
    siglongjmp(out_of_wait, 1);
}

static void leave_wait(void)
{
    struct profd_stopwatch watch;
    signal(SIGALRM, jump_out);
    if (sigsetjmp(out_of_wait, 1) == 0) {
        set_timer(WAIT_MS, 0);
        (void)poll(NULL, 0, -1);
    }
    profd_unit_enter(&watch, &unit);
    profd_unit_leave(&watch);
}

static void wait_unmeasured(void)
{
    struct profd_stopwatch watch;
    profd_unit_set_active(&unit, false);
    profd_unit_enter(&watch, &unit);
    sleep_once();
    profd_unit_leave(&watch);
}

static void wait_for_others(void)
{
    profd_blocked_begin();
    sleep_once();
    profd_blocked_end();
}

static void fork_in_handler(int number)
{
    int call_errno = errno;
    pid_t child = fork();
    (void)number;
    if (child == 0)
        _exit(0);
    if (waitpid(child, NULL, 0) != child)
        abort();
    errno = call_errno;
}

static void wait_and_fork(void)
{
    signal(SIGALRM, fork_in_handler);
    set_timer(10, 0);
    (void)poll(NULL, 0, WAIT_MS);
    (void)poll(NULL, 0, WAIT_MS);
}

/* It is a loop when the first iteration ends. */
static void run_loop(void (*wait)(void), int iterations)
{
    profd_iteration_end();
    start_ns = thread_cpu_ns();
    for (int i = 0; i < iterations; i++) {
        wait();
        burn_ms(1);
        profd_iteration_end();
    }
}

static void *sleep_until_cancelled(void *argument)
{
    run_loop(sleep_once, 0);
    *(_Atomic bool *)argument = true;
    for (;;)
        (void)usleep(1000 * 1000);
    return NULL;
}

static void cancel_in_wait(void)
{
    _Atomic bool is_waiting = false;
    pthread_t thread;
    if (pthread_create(&thread, NULL, sleep_until_cancelled, (void *)&is_waiting) != 0)
        exit(1);
    while (!is_waiting)
        (void)usleep(1000);
    (void)usleep(2 * WAIT_MS * 1000);
    if (pthread_cancel(thread) != 0 || pthread_join(thread, NULL) != 0)
        exit(1);
}

static void note_stats(const struct profd_group_stats *stats, void *context)
{
    (void)context;
    if (stats->flags & PROFD_GROUP_TOP)
        printf("top %llu %llu\n", (unsigned long long)stats->wall_exceeded[LONG_PLACE],
               (unsigned long long)stats->cpu_ns);
}

static const struct {
    const char *name;
    void (*wait)(void);
} cases[] = {
    { "sleeps", sleep_once },       { "peeks", peek_and_wait }, { "again", wait_again },
    { "interrupted", sleep_on },    { "left", leave_wait },     { "unmeasured", wait_unmeasured },
    { "blocked", wait_for_others }, { "forks", wait_and_fork },
};

static int run_case(const char *name)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(name, cases[i].name) == 0) {
            run_loop(cases[i].wait, ITERATIONS);
            return 0;
        }
    }
    if (strcmp(name, "cancelled") != 0)
        return 2;
    cancel_in_wait();
    return 0;
}

int main(int argc, char **argv)
{
    profd_groups_monitor(true, false);
    int status = argc == 2 ? run_case(argv[1]) : 2;
    printf("truth %llu\n", (unsigned long long)(thread_cpu_ns() - start_ns));
    (void)profd_groups_snapshot(note_stats, NULL);
    return status;
}
