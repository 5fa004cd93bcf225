/* urgent_signals signalfd|sigtimedwait: blocks SIGURG, and takes 1,000 of them in hand, which it
 * sends itself one after the other: to the process, to the thread, and by a child. Between two it
 * works a little, beside another thread that does. Prints how many arrived, and how many more
 * signals than that; the status is 0 when it were all, and no more. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { SIGNALS = 1000, BY_CHILD = 50 /* one in so many */ };

static atomic_bool is_over;
static sigset_t urgent;
static int fd;

static bool take_by_signalfd(void)
{
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGURG;
}

static bool take_by_sigtimedwait(void)
{
    const struct timespec at_once = { 0 };
    return sigtimedwait(&urgent, NULL, &at_once) == SIGURG;
}

static bool send_by_child(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(kill(getppid(), SIGURG));
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static bool send_one(int number)
{
    if (number % BY_CHILD == 0)
        return send_by_child();
    return number % 2 == 0 ? kill(getpid(), SIGURG) == 0 : raise(SIGURG) == 0;
}

static void *work(void *argument)
{
    while (!atomic_load(&is_over))
        burn_outer(0.001);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    bool by_fd = argc > 1 && strcmp(argv[1], "signalfd") == 0;
    bool (*take)(void) = by_fd ? take_by_signalfd : take_by_sigtimedwait;
    int arrived = 0, too_many = 0;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    if (pthread_sigmask(SIG_BLOCK, &urgent, NULL) != 0 ||
        pthread_create(&thread, NULL, work, NULL) != 0)
        return 2;
    fd = by_fd ? signalfd(-1, &urgent, SFD_NONBLOCK | SFD_CLOEXEC) : -1;
    for (int i = 0; i < SIGNALS; i++) {
        burn_outer(0.0003);
        if (!send_one(i))
            return 2;
        arrived += take();
        too_many += take();
    }
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    printf("%d of %d arrived, %d too many\n", arrived, SIGNALS, too_many);
    return arrived == SIGNALS && too_many == 0 ? 0 : 1;
}
