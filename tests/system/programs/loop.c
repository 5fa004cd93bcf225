/* loop MILLISECONDS FILE [SECONDS_IN_ONE]: an event loop that knows nothing of profd: a timer comes
 * every 10 ms, and its handler burns so much CPU time, but not while FILE is missing. With
 * SECONDS_IN_ONE, the tenth iteration takes so long.
 *
 * With WITH_IDLE_THREAD there is a second thread. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/time_units.h"
#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"

enum { PERIOD_NS = 10 * 1000 * 1000, MOST_TURNS = 1000 * 1000, LONG_TURN = 10 };

static void burn_ms(double ms)
{
    uint64_t end_ns = thread_cpu_ns() + (uint64_t)(ms * 1e6);
    while (thread_cpu_ns() < end_ns)
        burn_sink += burn_sink * 3 + 1;
}

int main(int argc, char **argv)
{
    const struct itimerspec period = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
    uint64_t expirations;
    if (argc < 3 || idle_thread_if_wanted() != 0)
        return 2;
    double ms = strtod(argv[1], NULL), long_s = argc > 3 ? strtod(argv[3], NULL) : 0;
    struct pollfd timer = { timerfd_create(CLOCK_MONOTONIC, 0), POLLIN, 0 };
    if (timer.fd < 0 || timerfd_settime(timer.fd, 0, &period, NULL) < 0)
        return 1;
    for (int turn = 0, busy = 0; turn < MOST_TURNS; turn++) {
        if (poll(&timer, 1, -1) < 0 || read(timer.fd, &expirations, sizeof(expirations)) < 0)
            return 1;
        if (access(argv[2], F_OK) != 0)
            continue;
        burn_ms(++busy == LONG_TURN && long_s > 0 ? long_s * MS_PER_S : ms);
    }
    return 0;
}
