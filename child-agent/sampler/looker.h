/* Looks where threads sleep, while their own clocks sample them, and keeps their perf events.
 *
 * This is done by the agent's thread in its waits, or in a process without one by a thread of its
 * own. One at a time is the looking thread; it has nothing to do while there are no looks, waits
 * for the next one while anything runs, and rests while nothing does:
 *
 *     look_alarm_wait(…, looker_due_ns());
 *     looker_turn();
 *
 * Sessions begin and end without waiting for it. It finds out at its next turn, for which it is
 * woken, and closes then what it has opened: descriptors are in its own table, and nobody else
 * could. */
#ifndef PROFD_AGENT_LOOKER_H
#define PROFD_AGENT_LOOKER_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the calling thread the looking one. HAS_OWN_DESCRIPTORS: it has a table of its own, without
 * which it opens nothing. */
void looker_begin(bool has_own_descriptors);

/* Returns when the next turn is due, by the monotonic clock; LOOK_ALARM_NEVER: when the alarm is
 * rung. Looking thread. */
uint64_t looker_due_ns(void);

/* Does what is due: begins and ends with the session, opens and closes events, looks, and makes the
 * calls that wait for that, of the program's. Takes the sampler's lock, not for calls. Looking
 * thread, without locks. */
void looker_turn(void);

/* Ends the looks of the calling thread, and closes what it has opened. What there is to be looked
 * at waits for the next one. */
void looker_end(void);

/* Called in a forked child, which has no looking thread. */
void looker_after_fork_child(void);

#endif
