/* urgent WAY [both]: works, and takes signals that it sends itself, one after the other, by one of
 * the ways there are: SIGURG, and with "both" also SIGWINCH. The status is 1 when not each of them
 * arrived once, or others did. With both, a few may meet one of the profiler's and merge with it
 * where they are not blocked.
 *
 * "all" and "allbynumber" send SIGUSR1, and read whatever comes; "allurgent" sends SIGURG: when the
 * profiler leaves it to the program, a few of its own may come late, and merge. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { SIGNALS = 30, MAY_MERGE = 4, PATIENCE_S = 20, READS = 2000 };

static int numbers[2] = { SIGURG, SIGWINCH }, number_count = 1;
static sigset_t ours;
static int sent, descriptor;
static bool may_be_late;
static volatile sig_atomic_t arrived, strangers;

/* To the process and to the thread by turns. */
static void send_one(void)
{
    int number = numbers[sent / 2 % number_count];
    if (sent++ % 2 == 0)
        kill(getpid(), number);
    else
        raise(number);
}

static bool is_from_here(int number, int pid, int code)
{
    return (number == numbers[0] || number == numbers[1]) && pid == getpid() &&
           (code == SI_USER || code == SI_TKILL);
}

/* --- Ways to take them --- */

static void by_signalfd(void)
{
    struct signalfd_siginfo info;
    while (read(descriptor, &info, sizeof(info)) == sizeof(info)) {
        bool is_ours = is_from_here((int)info.ssi_signo, (int)info.ssi_pid, info.ssi_code);
        arrived += is_ours;
        strangers += !is_ours && !may_be_late;
    }
}

/* Hardly anything but reading, so that most samples are taken in there. */
static void by_many_reads(void)
{
    for (int i = 0; i < READS; i++)
        by_signalfd();
}

static void by_sigtimedwait(void)
{
    static const struct timespec at_once;
    siginfo_t info;
    while (sigtimedwait(&ours, &info, &at_once) > 0) {
        arrived++;
        strangers += !is_from_here(info.si_signo, info.si_pid, info.si_code);
    }
}

static void by_handler(void)
{
}

static void on_urgent(int number, siginfo_t *info, void *context)
{
    (void)context;
    arrived++;
    strangers += !is_from_here(number, info->si_pid, info->si_code);
}

static void install_handler(int flags)
{
    const struct sigaction action = { .sa_sigaction = on_urgent, .sa_flags = SA_SIGINFO | flags };
    for (int i = 0; i < number_count; i++)
        sigaction(numbers[i], &action, NULL);
}

static void send_and_take(void (*take)(void))
{
    for (int i = 0; i < SIGNALS; i++) {
        burn_outer(0.0015);
        send_one();
        burn_outer(0.0015);
        take();
    }
}

/* --- While all signals are blocked --- */

/* The handler is to run once they no longer are. */
static void by_unblocking(void)
{
    sigset_t all, before;
    sigfillset(&all);
    for (int i = 0; i < SIGNALS; i++) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int arrived_before = arrived;
        send_one();
        burn_outer(0.003);
        strangers += arrived != arrived_before;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
}

static sem_t taken;

static void *wait_for_all(void *unused)
{
    sigset_t all;
    siginfo_t info;
    (void)unused;
    sigfillset(&all);
    while (arrived < SIGNALS) {
        if (sigwaitinfo(&all, &info) < 0)
            continue;
        arrived++;
        strangers += !is_from_here(info.si_signo, info.si_pid, info.si_code);
        sem_post(&taken);
    }
    return NULL;
}

/* One thread takes them for all, which block everything. */
static void by_waiting_thread(void)
{
    pthread_t waiter;
    sigset_t all;
    struct timespec end;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    sem_init(&taken, 0, 0);
    pthread_create(&waiter, NULL, wait_for_all, NULL);
    for (int i = 0; i < SIGNALS; i++) {
        burn_outer(0.003);
        kill(getpid(), numbers[sent++ % number_count]);
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += PATIENCE_S;
        if (sem_timedwait(&taken, &end) < 0)
            return;
    }
    pthread_join(waiter, NULL);
}

/* All signals are blocked, and all can be read. */
static void by_reading_all(bool by_number)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    descriptor = by_number ? (int)syscall(SYS_signalfd4, -1, &all, NSIG / 8, SFD_NONBLOCK)
                           : signalfd(-1, &all, SFD_NONBLOCK);
    send_and_take(by_many_reads);
}

/* --- Calls that a handler is to cut short --- */

static atomic_bool is_over;

static void *send_many(void *thread)
{
    const pthread_t *sleeper = thread;
    const struct timespec pause = { .tv_nsec = 1000000 };
    while (!atomic_load(&is_over)) {
        pthread_kill(*sleeper, SIGURG);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    return NULL;
}

static void by_reading(void)
{
    pthread_t self = pthread_self(), sender;
    int ends[2], errors = 0;
    char byte;
    if (pipe(ends) < 0)
        return;
    alarm(PATIENCE_S); /* ends the program */
    pthread_create(&sender, NULL, send_many, &self);
    while (arrived < SIGNALS) {
        burn_outer(0.0005);
        errors += read(ends[0], &byte, 1) < 0 && errno == EINTR;
    }
    atomic_store(&is_over, true);
    pthread_join(sender, NULL);
    sent = arrived;
    strangers += errors == 0;
}

static int run_way(const char *way)
{
    if (strcmp(way, "signalfd") == 0) {
        sigprocmask(SIG_BLOCK, &ours, NULL);
        descriptor = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
        send_and_take(by_signalfd);
    } else if (strcmp(way, "all") == 0 || strcmp(way, "allbynumber") == 0) {
        numbers[0] = SIGUSR1;
        by_reading_all(strcmp(way, "allbynumber") == 0);
    } else if (strcmp(way, "allurgent") == 0) {
        may_be_late = true;
        by_reading_all(false);
    } else if (strcmp(way, "sigtimedwait") == 0) {
        sigprocmask(SIG_BLOCK, &ours, NULL);
        send_and_take(by_sigtimedwait);
    } else if (strcmp(way, "handler") == 0) {
        install_handler(SA_RESTART);
        send_and_take(by_handler);
    } else if (strcmp(way, "unblocking") == 0) {
        install_handler(SA_RESTART);
        by_unblocking();
    } else if (strcmp(way, "thread") == 0) {
        by_waiting_thread();
    } else if (strcmp(way, "reading") == 0) {
        install_handler(0);
        by_reading();
    } else {
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    number_count = argc > 2 ? 2 : 1;
    sigemptyset(&ours);
    for (int i = 0; i < number_count; i++)
        sigaddset(&ours, numbers[i]);
    if (argc < 2 || run_way(argv[1]) < 0)
        return 2;
    printf("%d sent, %d arrived, %d by others\n", sent, (int)arrived, (int)strangers);
    int least = number_count == 1 && !may_be_late ? sent : sent - MAY_MERGE;
    return sent >= SIGNALS && arrived >= least && arrived <= sent && strangers == 0 ? 0 : 1;
}
