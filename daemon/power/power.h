/* The machine's use of power during a session, as counters of profd's own track in captures. One
 * per daemon, on its loop. */
#ifndef PROFD_DAEMON_POWER_H
#define PROFD_DAEMON_POWER_H

#include <uv.h>

#include "daemon/power/power_meter.h"

struct daemon;

struct power {
    uv_timer_t timer;
    struct power_meter meter;
    struct gecko_root_counter counters[POWER_METER_MOST_DOMAINS]; /* of the latest description */
};

/* 0, or the error of libuv. */
int power_init(struct daemon *profd);
void power_close(struct daemon *profd);

/* Measures from now on, if the session has the feature, or goes on with it. What was measured for
 * another one is dropped. */
void power_follow_session(struct daemon *profd);
/* What was measured stays. */
void power_end_session(struct daemon *profd);

/* Puts what was measured into OUT, which borrows it until the next event. */
void power_describe(struct daemon *profd, struct gecko_root_options *out);

#endif
