/* The stopwatch: measures what each thread spends on units, by performance group.
 *
 * Entering a unit acquires those of its groups that are active and that no outer unit has acquired.
 * Leaving it adds the costs and releases them. The group that contains a single unit gets what was
 * spent in the unit itself, without the units inside it. So these groups, together with what
 * belongs to no unit, add up to the thread's CPU clock. What was cancelled is part of the
 * surrounding unit, or of none. At the end of an iteration everything that ran is committed to the
 * records that others read. Modelled on js::Stopwatch (the seed's "SpiderMonkey-level").
 *
 * Called by the measured thread itself; not in signal handlers. */
#ifndef PROFD_AGENT_STOPWATCH_H
#define PROFD_AGENT_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

/* How a thread's iterations are recognized. Later kinds are more reliable. */
enum stopwatch_loop {
    STOPWATCH_NO_LOOP = 0,   /* by its outermost units */
    STOPWATCH_TURNS = 1,     /* by the turns of a loop, without its idle time */
    STOPWATCH_SEEN_LOOP = 2, /* by a call in which it waits; see loop_watch.h */
    STOPWATCH_TOLD_LOOP = 3, /* by the program */
};

/* What is known about a thread's waits; see loop_watch.h. Zeroed memory: nothing. */
struct loop_sight {
    const void *place; /* where the loop waits; NULL: not known yet */
    const void *other; /* another place where it waited … */
    unsigned others;   /* … and how often in a row */
};

/* Returns the sight of the calling thread; NULL if the thread is not measured, or is inside a unit,
 * whose waits are not a loop. */
struct loop_sight *stopwatch_take_sight(void);

/* Notes that the thread's loop is of KIND, unless a better kind is known. Returns false if the
 * thread is not measured. */
bool stopwatch_note_loop(enum stopwatch_loop kind);

/* Begin an iteration, which has no costs yet; and end it, committing the costs of what ran. */
void stopwatch_begin_iteration(void);
void stopwatch_end_iteration(void);

/* Called when the thread is about to wait for another process, and after it has waited. Inside a
 * unit this is blocked time; the first function returns whether such time began. */
bool stopwatch_begin_wait(void);
void stopwatch_end_wait(void);

/* Called when the thread is about to wait, and after it has waited, between two iterations whose
 * ends the program reports. The first wait, before any unit, belongs to neither iteration; as long
 * as nothing HAS_COME that the thread waits for, the same is true of the next wait. The first
 * function returns whether this is such a wait. */
bool stopwatch_begin_first_wait(void);
void stopwatch_end_first_wait(bool has_come);

/* Called when groups are no longer requested. Drops measurements in progress. */
void stopwatch_rest(void);

/* Called when the program reports that it starts or ends handling an event, or that its loop turns;
 * the loop's idle clock then reads IDLE_NS. */
void stopwatch_begin_event(void);
void stopwatch_end_event(void);
void stopwatch_turn(uint64_t idle_ns);

/* Called when the thread ends or is no longer measured. Commits what it has spent. */
void stopwatch_leave_thread(void);

/* Called in a forked child, whose only thread has measured nothing. */
void stopwatch_after_fork_child(void);

#endif
