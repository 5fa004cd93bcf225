/* loops_at CALL: an event loop that waits in that call, 5 ms each time. Its thread is called so. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

#include "common/time_units.h"

enum { WAIT_MS = 5, MOST_TURNS = 1000 * 1000 };

/* What -D_FORTIFY_SOURCE makes of them. */
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t fds_bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t fds_bytes);

static const struct timespec wait_time = { .tv_nsec = WAIT_MS * NS_PER_MS };
static struct pollfd nothing = { .fd = -1 };
static struct epoll_event event;
static int epoll;

static int by_poll(void)
{
    return poll(&nothing, 1, WAIT_MS);
}

static int by_poll_chk(void)
{
    return __poll_chk(&nothing, 1, WAIT_MS, sizeof(nothing));
}

static int by_ppoll(void)
{
    return ppoll(&nothing, 1, &wait_time, NULL);
}

static int by_ppoll_chk(void)
{
    return __ppoll_chk(&nothing, 1, &wait_time, NULL, sizeof(nothing));
}

static int by_select(void)
{
    struct timeval timeout = { .tv_usec = WAIT_MS * 1000 };
    return select(0, NULL, NULL, NULL, &timeout);
}

static int by_pselect(void)
{
    return pselect(0, NULL, NULL, NULL, &wait_time, NULL);
}

static int by_epoll_wait(void)
{
    return epoll_wait(epoll, &event, 1, WAIT_MS);
}

static int by_epoll_pwait(void)
{
    return epoll_pwait(epoll, &event, 1, WAIT_MS, NULL);
}

static int by_epoll_pwait2(void)
{
    return epoll_pwait2(epoll, &event, 1, &wait_time, NULL);
}

static const struct {
    const char *name;
    int (*wait)(void);
} calls[] = {
    { "poll", by_poll },
    { "__poll_chk", by_poll_chk },
    { "ppoll", by_ppoll },
    { "__ppoll_chk", by_ppoll_chk },
    { "select", by_select },
    { "pselect", by_pselect },
    { "epoll_wait", by_epoll_wait },
    { "epoll_pwait", by_epoll_pwait },
    { "epoll_pwait2", by_epoll_pwait2 },
};

int main(int argc, char **argv)
{
    size_t call = 0;
    while (argc == 2 && call < sizeof(calls) / sizeof(calls[0]) &&
           strcmp(argv[1], calls[call].name) != 0)
        call++;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (argc != 2 || call == sizeof(calls) / sizeof(calls[0]) || epoll < 0 ||
        prctl(PR_SET_NAME, calls[call].name) != 0)
        return 2;
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        if (calls[call].wait() != 0)
            return 1;
    }
    return 0;
}
