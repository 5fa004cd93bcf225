/* The machine's use of power during a session, as counters of profd's own track in captures. On one
 * loop. */
#ifndef PROFD_DAEMON_POWER_H
#define PROFD_DAEMON_POWER_H

#include <stdbool.h>
#include <uv.h>

#include "daemon/power/power_meter.h"

struct power {
    const char *folder; /* of the counters; borrowed */
    uv_timer_t timer;
    struct power_meter meter;
    struct gecko_root_counter counters[POWER_METER_MOST_DOMAINS]; /* of the latest description */
};

/* Counters are those in FOLDER (borrowed; POWER_METER_FOLDER). *POWER is zeroed. 0, or the error of
 * libuv. */
int power_init(struct power *power, uv_loop_t *loop, const char *folder);
void power_close(struct power *power);

/* A session begins, or its terms change: starts to measure if it IS_WANTED, or continues. What was
 * measured for another session is dropped. */
void power_follow_session(struct power *power, bool is_wanted);
/* What was measured stays. */
void power_end_session(struct power *power);

/* Puts what was measured into OUT, which borrows it until the next event. */
void power_describe(struct power *power, struct gecko_root_options *out);

#endif
