/* Waits for a signal of its own again and again, by the calls that cannot miss it. The status is 1
 * when one came back for a reason that the program could not know. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 200, TIMER_US = 1500 };

static volatile sig_atomic_t was_called;

static void on_alarm(int number)
{
    (void)number;
    was_called = 1;
}

static void set_timer(void)
{
    const struct itimerval timer = { .it_value = { .tv_usec = TIMER_US } };
    was_called = 0;
    burn_outer(0.0005);
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void)
{
    const struct sigaction action = { .sa_handler = on_alarm };
    sigset_t alarm_only, none;
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&none);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        set_timer();
        while (!was_called)
            sigsuspend(&none);
        set_timer();
        if (ppoll(NULL, 0, NULL, &none) != -1 || errno != EINTR || !was_called)
            return 1;
    }
    return 0;
}
