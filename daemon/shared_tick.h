/* Timers that need not be exact expire together, at multiples of their periods on the loop's clock:
 * so one wake-up of an idle profd serves several of them. Loop thread. */
#ifndef PROFD_DAEMON_SHARED_TICK_H
#define PROFD_DAEMON_SHARED_TICK_H

#include <stdint.h>
#include <uv.h>

/* Starts TIMER for the next multiple of PERIOD_MS, once; CALLBACK starts it again. Returns 0, or
 * the negative errno of a timer that is closing. */
int shared_tick_start(uv_timer_t *timer, uv_timer_cb callback, uint64_t period_ms);

#endif
