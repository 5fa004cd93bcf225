/* Uses SIGURG itself. The status is 1 when its handler was called by others or too seldom, or is
 * not what sigaction tells. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { SIGNALS = 200 };

static volatile sig_atomic_t calls, strangers;

static void on_urgent(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    calls++;
    strangers += info->si_pid != getpid() || info->si_code != SI_TKILL;
}

static void on_plain(int number)
{
    (void)number;
}

/* Whether sigaction() tells of signal() what the C library makes of it. */
static int is_as_the_library_has_it(void)
{
    struct sigaction now;

    return signal(SIGURG, on_plain) == SIG_DFL && sigaction(SIGURG, NULL, &now) == 0 &&
           now.sa_handler == on_plain && sigismember(&now.sa_mask, SIGURG) == 1 &&
           sigismember(&now.sa_mask, SIGUSR1) == 0 && (now.sa_flags & SA_RESTART) != 0 &&
           signal(SIGURG, SIG_DFL) == on_plain;
}

int main(void)
{
    struct sigaction mine = { .sa_sigaction = on_urgent, .sa_flags = SA_SIGINFO | SA_RESTART };
    struct sigaction before, now;
    if (!is_as_the_library_has_it())
        return 4;
    sigemptyset(&mine.sa_mask);
    if (sigaction(SIGURG, &mine, &before) < 0 || before.sa_handler != SIG_DFL)
        return 2;
    for (int i = 0; i < SIGNALS; i++) {
        burn_outer(0.002);
        raise(SIGURG);
    }
    if (sigaction(SIGURG, NULL, &now) < 0 || now.sa_sigaction != on_urgent ||
        (now.sa_flags & SA_SIGINFO) == 0)
        return 3;
    fprintf(stderr, "%d calls, %d by others\n", (int)calls, (int)strangers);
    return calls == SIGNALS && strangers == 0 ? 0 : 1;
}
