/* Threads that work a little and then wait, each by another call, while children of the process end
 * all the time. Prints for each call how often it was cut short by EINTR: a SIGCHLD that nobody
 * handles cuts nothing short. The status is 1 when one was. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"
#include "tests/system/programs/burn.h"

enum { CHILDREN = 75, WAIT_MS = 2 };

static const struct timespec wait_time = { .tv_nsec = WAIT_MS * NS_PER_MS };
static atomic_bool is_over;
static int epoll;

static long by_epoll_wait(void)
{
    struct epoll_event event;
    return epoll_wait(epoll, &event, 1, WAIT_MS);
}

static long by_poll(void)
{
    return poll(NULL, 0, WAIT_MS);
}

static long by_nanosleep(void)
{
    return nanosleep(&wait_time, NULL);
}

/* The same by syscall(), as runtimes that bring their own wrappers make their calls. */

static long by_raw_epoll_wait(void)
{
    struct epoll_event event;
    return syscall(SYS_epoll_wait, epoll, &event, 1, WAIT_MS);
}

static long by_raw_poll(void)
{
    return syscall(SYS_poll, NULL, 0, WAIT_MS);
}

static long by_raw_nanosleep(void)
{
    return syscall(SYS_nanosleep, &wait_time, NULL);
}

static long by_raw_futex(void)
{
    static uint32_t word;
    return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0);
}

struct waiter {
    const char *name;
    long (*wait)(void);
    pthread_t thread;
    int waits, cut_short;
};

static struct waiter waiters[] = {
    { .name = "epoll_wait", .wait = by_epoll_wait },
    { .name = "poll", .wait = by_poll },
    { .name = "nanosleep", .wait = by_nanosleep },
    { .name = "syscall(epoll_wait)", .wait = by_raw_epoll_wait },
    { .name = "syscall(poll)", .wait = by_raw_poll },
    { .name = "syscall(nanosleep)", .wait = by_raw_nanosleep },
    { .name = "syscall(futex)", .wait = by_raw_futex },
};

enum { WAITERS = sizeof(waiters) / sizeof(waiters[0]) };

static void *work_and_wait(void *argument)
{
    struct waiter *self = argument;
    while (!atomic_load(&is_over)) {
        burn_outer(0.0005);
        self->waits++;
        self->cut_short += self->wait() < 0 && errno == EINTR;
    }
    return NULL;
}

/* Each lives until some threads wait. */
static int make_children(void)
{
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            nanosleep(&wait_time, NULL);
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child)
            return -1;
    }
    return 0;
}

int main(void)
{
    int status = 0;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < WAITERS; i++) {
        if (pthread_create(&waiters[i].thread, NULL, work_and_wait, &waiters[i]) != 0)
            return 2;
    }
    if (make_children() < 0)
        return 2;
    atomic_store(&is_over, true);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i].thread, NULL);
        printf("%s: %d of %d\n", waiters[i].name, waiters[i].cut_short, waiters[i].waits);
        status |= waiters[i].cut_short > 0 || waiters[i].waits == 0;
    }
    return status;
}
