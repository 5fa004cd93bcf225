/* Does with masks and signals what the runtime of Go does in a program with C in it: makes threads
 * through the C library with all signals blocked, has them set their masks by system calls of their
 * own, and interrupts them by SIGURG, for which it has a handler as for all other signals. The
 * status is 1 when a thread can no longer be interrupted. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "common/time_units.h"
#include "tests/system/programs/burn.h"

enum { INTERRUPTIONS = 60, TRIES = 2000, TRY_NS = 10 * 1000 * 1000 };

static sem_t arrived;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if (info->si_code == SI_TKILL)
        sem_post(&arrived);
}

/* Past the C library. */
static void set_raw_mask(uint64_t mask)
{
    register long size __asm__("r10") = sizeof(mask);
    long number = SYS_rt_sigprocmask;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"((long)SIG_SETMASK), "S"(&mask), "d"(0L), "r"(size)
                     : "rcx", "r11", "memory");
}

static atomic_bool is_over;

static void *work(void *unused)
{
    (void)unused;
    set_raw_mask(0);
    pthread_setname_np(pthread_self(), "second");
    while (!atomic_load(&is_over))
        burn_outer(0.001);
    return NULL;
}

/* As cgo starts a thread: the new one has everything blocked, the old one what it had. */
static pthread_t start_thread(void *(*routine)(void *))
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_create(&thread, NULL, routine, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return thread;
}

static void *start_another(void *unused)
{
    static pthread_t thread;
    (void)unused;
    set_raw_mask(0);
    pthread_setname_np(pthread_self(), "first");
    thread = start_thread(work);
    while (!atomic_load(&is_over))
        burn_outer(0.001);
    return &thread;
}

/* Whether an interruption arrives. As Go does, once more after a while: with the wall clock, one
 * may meet the profiler's and merge with it. */
static bool interrupt_thread(pthread_t thread)
{
    struct timespec end;
    for (int i = 0; i < TRIES; i++) {
        pthread_kill(thread, SIGURG);
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec += TRY_NS;
        end.tv_sec += end.tv_nsec / NS_PER_S;
        end.tv_nsec %= NS_PER_S;
        if (sem_timedwait(&arrived, &end) == 0)
            return true;
    }
    return false;
}

int main(void)
{
    const struct sigaction action = { .sa_sigaction = on_signal,
                                      .sa_flags = SA_SIGINFO | SA_RESTART };
    sem_init(&arrived, 0, 0);
    for (int number = 1; number < SIGSYS; number++)
        sigaction(number, &action, NULL); /* SIGKILL and SIGSTOP cannot have one */
    pthread_t thread = start_thread(start_another);
    bool is_whole = true;
    for (int i = 0; i < INTERRUPTIONS && is_whole; i++) {
        burn_outer(0.002);
        is_whole = interrupt_thread(thread);
    }
    atomic_store(&is_over, true);
    void *another;
    pthread_join(thread, &another);
    pthread_join(*(pthread_t *)another, NULL);
    return is_whole ? 0 : 1;
}
