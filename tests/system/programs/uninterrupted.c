/* Works a little and then waits, by every call that a signal can cut short. The status is 1 when
 * one of them came back before its time, with an error or with a signal that nobody sent. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"
#include "tests/system/programs/burn.h"

enum { ROUNDS = 60, WAIT_MS = 3 };

static const struct timespec wait_time = { .tv_nsec = WAIT_MS * NS_PER_MS };
static int epoll, sockets[2], semaphores;
static volatile sig_atomic_t was_called;

static void on_alarm(int number)
{
    (void)number;
    was_called = 1;
}

static bool by_nanosleep(void)
{
    return nanosleep(&wait_time, NULL) == 0;
}

static bool by_poll(void)
{
    return poll(NULL, 0, WAIT_MS) == 0;
}

static bool by_ppoll(void)
{
    return ppoll(NULL, 0, &wait_time, NULL) == 0;
}

static bool by_pselect(void)
{
    return pselect(0, NULL, NULL, NULL, &wait_time, NULL) == 0;
}

static bool by_epoll_wait(void)
{
    struct epoll_event event;
    return epoll_wait(epoll, &event, 1, WAIT_MS) == 0;
}

static bool by_epoll_pwait(void)
{
    struct epoll_event event;
    sigset_t none;
    sigemptyset(&none);
    return epoll_pwait(epoll, &event, 1, WAIT_MS, &none) == 0;
}

static bool by_recv(void)
{
    char byte;
    return recv(sockets[0], &byte, 1, 0) < 0 && errno == EAGAIN;
}

static bool by_semtimedop(void)
{
    struct sembuf take = { .sem_op = -1 };
    return semtimedop(semaphores, &take, 1, &wait_time) < 0 && errno == EAGAIN;
}

static bool by_sigtimedwait(void)
{
    sigset_t all;
    sigfillset(&all);
    return sigtimedwait(&all, NULL, &wait_time) < 0 && errno == EAGAIN;
}

/* Again and again, since pause() misses one that comes too early. */
static void set_alarm(void)
{
    const struct timeval time = { .tv_usec = WAIT_MS * 1000 };
    const struct itimerval timer = { .it_value = time, .it_interval = time };
    was_called = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void end_alarm(void)
{
    const struct itimerval none = { 0 };
    setitimer(ITIMER_REAL, &none, NULL);
}

static bool by_pause(void)
{
    set_alarm();
    bool is_right = pause() < 0 && errno == EINTR && was_called;
    end_alarm();
    return is_right;
}

static bool by_sigsuspend(void)
{
    sigset_t alarm_only, before;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, &before);
    set_alarm();
    bool is_right = sigsuspend(&before) < 0 && errno == EINTR && was_called;
    end_alarm();
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_right;
}

static bool by_sigwait(void)
{
    sigset_t all, before;
    int number;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    set_alarm();
    bool is_right = sigwait(&all, &number) == 0 && number == SIGALRM;
    end_alarm();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_right;
}

/* The C library says SI_USER of a signal for the thread, too. */
static bool by_sigwaitinfo_for_thread(void)
{
    sigset_t all, before;
    siginfo_t got;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    raise(SIGUSR1);
    bool is_right =
        sigwaitinfo(&all, &got) == SIGUSR1 && got.si_code == SI_USER && got.si_pid == getpid();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_right;
}

static void *wait_for_ever(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    burn_outer(0.0004);
    for (;;)
        sigwaitinfo(&all, NULL);
    return unused;
}

static bool by_sigwaitinfo_until_cancelled(void)
{
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
        return false;
    nanosleep(&wait_time, NULL);
    return pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 &&
           result == PTHREAD_CANCELED;
}

static const struct {
    const char *name;
    bool (*wait)(void);
} waits[] = {
    { "nanosleep", by_nanosleep },
    { "poll", by_poll },
    { "ppoll", by_ppoll },
    { "pselect", by_pselect },
    { "epoll_wait", by_epoll_wait },
    { "epoll_pwait", by_epoll_pwait },
    { "recv", by_recv },
    { "semtimedop", by_semtimedop },
    { "sigtimedwait", by_sigtimedwait },
    { "pause", by_pause },
    { "sigsuspend", by_sigsuspend },
    { "sigwait", by_sigwait },
    { "sigwaitinfo for the thread", by_sigwaitinfo_for_thread },
    { "sigwaitinfo until cancelled", by_sigwaitinfo_until_cancelled },
};

int main(void)
{
    const struct timeval receive_time = { .tv_usec = WAIT_MS * 1000 };
    int status = 0;
    signal(SIGALRM, on_alarm);
    epoll = epoll_create1(0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0 || epoll < 0 || semaphores < 0)
        return 2;
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &receive_time, sizeof(receive_time));
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        int bad = 0;
        for (int round = 0; round < ROUNDS; round++) {
            burn_outer(0.0004);
            bad += !waits[i].wait();
        }
        if (bad > 0)
            fprintf(stderr, "%s: %d of %d\n", waits[i].name, bad, ROUNDS);
        status |= bad > 0;
    }
    semctl(semaphores, 0, IPC_RMID);
    return status;
}
