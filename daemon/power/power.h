/* The machine's use of power during a session, as counters of profd's own track in captures. Loop
 * thread. */
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

/* Uses the counters in FOLDER (borrowed; POWER_METER_FOLDER). *POWER is zeroed before. Returns 0,
 * or libuv's error. */
int power_init(struct power *power, uv_loop_t *loop, const char *folder);
void power_close(struct power *power);

/* A session begins, or its settings change: starts or continues to measure if IS_WANTED. What was
 * measured for another session is dropped. */
void power_follow_session(struct power *power, bool is_wanted);
/* The session ends: stops measuring. What was measured is kept. */
void power_end_session(struct power *power);

/* Puts what was measured into OUT, which borrows it until the next event of the loop. */
void power_describe(struct power *power, struct gecko_root_options *out);

#endif
