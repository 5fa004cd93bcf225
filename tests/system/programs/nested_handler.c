/* nested_handler: the handler of SIGUSR1 is interrupted by SIGUSR2 and blocks SIGTERM, as
 * sigaction() was told; one for a single time is called once. The status says what is wrong. */
#include <signal.h>
#include <string.h>

#include "tests/system/programs/burn.h"

static volatile sig_atomic_t was_nested, term_was_blocked, calls;

static void on_usr2(int number)
{
    (void)number;
    was_nested = 1;
}

static void on_usr1(int number)
{
    sigset_t mask;
    (void)number;
    raise(SIGUSR2);
    if (pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0)
        term_was_blocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGUSR1) == 1 &&
                           sigismember(&mask, SIGINT) == 0;
}

static void count_call(int number)
{
    (void)number;
    calls++;
}

int main(void)
{
    struct sigaction nested = { .sa_handler = on_usr1 }, once = { .sa_handler = count_call };
    struct sigaction now;
    sigemptyset(&nested.sa_mask);
    sigaddset(&nested.sa_mask, SIGTERM);
    once.sa_flags = (int)SA_RESETHAND;
    signal(SIGUSR2, on_usr2);
    if (sigaction(SIGUSR1, &nested, NULL) < 0)
        return 2;
    burn_outer(0.05);
    raise(SIGUSR1);
    burn_outer(0.05);
    if (!was_nested)
        return 3;
    if (!term_was_blocked)
        return 4;
    if (sigaction(SIGUSR1, &once, NULL) < 0)
        return 5;
    raise(SIGUSR1);
    if (calls != 1 || sigaction(SIGUSR1, NULL, &now) < 0 || now.sa_handler != SIG_DFL)
        return 6;
    return 0;
}
