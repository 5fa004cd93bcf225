/* Waits that a handler cuts short, which blocks all signals and takes longer than several samples
 * are apart: they are to fail with EINTR. Prints for each call how often it did not; the status is
 * 1 when one did not. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 10, ALARM_US = 5000, WAIT_MS = 60 * 1000 };

static const struct timespec wait_time = { .tv_sec = WAIT_MS / 1000 };
static int epoll;

static void on_alarm(int number)
{
    (void)number;
    burn_outer(0.012);
}

static long by_poll(void)
{
    return poll(NULL, 0, WAIT_MS);
}

static long by_epoll_wait(void)
{
    struct epoll_event event;
    return epoll_wait(epoll, &event, 1, WAIT_MS);
}

static long by_nanosleep(void)
{
    return nanosleep(&wait_time, NULL);
}

static long by_raw_poll(void)
{
    return syscall(SYS_poll, NULL, 0, WAIT_MS);
}

static const struct {
    const char *name;
    long (*wait)(void);
} waits[] = {
    { "poll", by_poll },
    { "epoll_wait", by_epoll_wait },
    { "nanosleep", by_nanosleep },
    { "syscall(poll)", by_raw_poll },
};

/* Whether WAIT ends with its alarm. A second alarm ends one that does not. */
static int is_cut_short(long (*wait)(void))
{
    const struct itimerval alarm = { { 0, 200 * 1000 }, { 0, ALARM_US } }, none = { 0 };
    struct timespec start, end;
    if (setitimer(ITIMER_REAL, &alarm, NULL) < 0)
        return 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    int is_short = wait() < 0 && errno == EINTR;
    setitimer(ITIMER_REAL, &none, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double cpu_s =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    return is_short && cpu_s < 0.022; /* of one handler */
}

int main(void)
{
    struct sigaction action = { .sa_handler = on_alarm }, seen;
    int status = 0;
    sigfillset(&action.sa_mask);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0 || sigaction(SIGALRM, &action, NULL) < 0 || sigaction(SIGALRM, NULL, &seen) < 0)
        return 2;
    status |= seen.sa_handler != on_alarm;
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        int slept_on = 0;
        for (int round = 0; round < ROUNDS; round++)
            slept_on += !is_cut_short(waits[i].wait);
        printf("%s: slept on %d of %d times\n", waits[i].name, slept_on, ROUNDS);
        status |= slept_on > 0;
    }
    return status;
}
