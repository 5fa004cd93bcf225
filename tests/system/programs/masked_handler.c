/* masked_handler [no-new-privs|SIGNAL…]: waits that a handler cuts short, which blocks all signals
 * and takes longer than several samples are apart: they are to fail with EINTR. It handles SIGALRM,
 * or the SIGNALs, of which the first is sent. With "no-new-privs" it gives up privileges before, as
 * who sets a filter does. Prints for each call how often it did not;
 * the status is 1 when one did not. An alarm that goes off before the wait has begun does not
 * count: it is the next that cuts the wait short. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 5, ALARM_US = 5000, NEXT_ALARM_US = 400 * 1000, WAIT_MS = 60 * 1000 };

static const struct timespec wait_time = { .tv_sec = WAIT_MS / 1000 };
static int epoll;
static timer_t timer;
static volatile sig_atomic_t cuts; /* alarms that found the thread in a wait */

static void set_alarm(int after_us)
{
    const struct itimerspec alarm = { .it_value.tv_nsec = after_us * 1000L };
    if (timer_settime(timer, 0, &alarm, NULL) < 0)
        _exit(2);
}

/* Sets the next alarm when it is through, so that none waits for its return. */
static void on_alarm(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    cuts += ((const ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] == -EINTR;
    burn_outer(0.012);
    set_alarm(NEXT_ALARM_US);
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

/* Whether WAIT ends with the alarm that cuts it short. The next one ends it otherwise. */
static int is_cut_short(long (*wait)(void))
{
    cuts = 0;
    set_alarm(ALARM_US);
    int is_short = wait() < 0 && errno == EINTR;
    set_alarm(0);
    return is_short && cuts == 1;
}

static int handle(int number)
{
    struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO }, seen;
    sigfillset(&action.sa_mask);
    if (sigaction(number, &action, NULL) < 0 || sigaction(number, NULL, &seen) < 0)
        return -1;
    return seen.sa_sigaction == on_alarm ? 0 : -1;
}

static int number_of_signal(const char *name)
{
    return strcmp(name, "SIGURG") == 0 ? SIGURG : SIGWINCH;
}

int main(int count, char **arguments)
{
    bool gives_up = count > 1 && strcmp(arguments[1], "no-new-privs") == 0;
    int status = 0;
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
    if (count > 1 && !gives_up)
        event.sigev_signo = number_of_signal(arguments[1]);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (gives_up && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return 2;
    if (epoll < 0 || handle(event.sigev_signo) < 0 ||
        timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
        return 2;
    for (int i = 2; i < count; i++)
        if (handle(number_of_signal(arguments[i])) < 0)
            return 2;
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        int slept_on = 0;
        for (int round = 0; round < ROUNDS; round++)
            slept_on += !is_cut_short(waits[i].wait);
        printf("%s: slept on %d of %d times\n", waits[i].name, slept_on, ROUNDS);
        status |= slept_on > 0;
    }
    return status;
}
