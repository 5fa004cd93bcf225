/* Has descriptors of its own signal it with SIGURG, some of them of high numbers, while it works.
 * The status is 1 when its handler was called by others, or seldom: signals that meet one of the
 * profiler's merge with it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { PAIRS = 8, ROUNDS = 400, FIRST_NUMBER = 3, HIGH_NUMBER = 900 };

static int sending[PAIRS], receiving[PAIRS];
static volatile sig_atomic_t calls, strangers;

static int is_ours(int fd)
{
    for (int i = 0; i < PAIRS; i++)
        if (receiving[i] == fd)
            return 1;
    return 0;
}

static void on_urgent(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    calls++;
    strangers += info->si_code != POLL_IN || !is_ours(info->si_fd);
}

static int make_pair(int index)
{
    const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = gettid() };
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
        return -1;
    sending[index] = pair[0];
    receiving[index] = index % 2 == 0 ? pair[1] : fcntl(pair[1], F_DUPFD, HIGH_NUMBER);
    if (receiving[index] < 0 || fcntl(receiving[index], F_SETSIG, SIGURG) < 0 ||
        fcntl(receiving[index], F_SETOWN_EX, &owner) < 0)
        return -1;
    return fcntl(receiving[index], F_SETFL, O_ASYNC | O_NONBLOCK);
}

int main(void)
{
    const struct sigaction action = { .sa_sigaction = on_urgent,
                                      .sa_flags = SA_SIGINFO | SA_RESTART };
    char byte = 0;
    int sent = 0;
    for (int i = 0; i < PAIRS; i++)
        if (make_pair(i) < 0)
            return 2;
    sigaction(SIGURG, &action, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        burn_outer(0.0005);
        sent += send(sending[i % PAIRS], &byte, 1, 0) == 1;
        (void)!read(receiving[i % PAIRS], &byte, 1);
    }
    fprintf(stderr, "%d sent, %d calls, %d by others\n", sent, (int)calls, (int)strangers);
    return sent == ROUNDS && calls <= sent && calls >= sent * 9 / 10 && strangers == 0 ? 0 : 1;
}
