/* The stopwatch: what each thread spends on units, by performance group.
 *
 * Entering a unit acquires those of its groups that are active and that no outer unit has acquired;
 * leaving it adds the costs and releases them. The group that holds a unit alone has what was spent
 * in the unit itself and not in units inside it, so that such groups, and what belongs to no unit,
 * add up to the thread's CPU clock; what was cancelled is part of the unit around it, or of none.
 * At the end of an iteration all that ran is committed to the records that others read. Follows
 * js::Stopwatch (the seed's "SpiderMonkey-level").
 *
 * The calling thread; not in signal handlers. */
#ifndef PROFD_AGENT_STOPWATCH_H
#define PROFD_AGENT_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

/* How a thread's iterations are told apart; what is below is known better. */
enum stopwatch_loop {
    STOPWATCH_NO_LOOP = 0,   /* by its outermost units */
    STOPWATCH_TURNS = 1,     /* by the turns of a loop, of which its idle clock is taken off */
    STOPWATCH_SEEN_LOOP = 2, /* by a call in which it waits; see loop_watch.h */
    STOPWATCH_TOLD_LOOP = 3, /* by the program */
};

/* What is known of a thread's waits; see loop_watch.h. Zeroed memory: nothing. */
struct loop_sight {
    const void *place; /* where the loop waits; NULL: there is none yet */
    const void *other; /* another place that it came to … */
    unsigned others;   /* … so often in a row */
};

/* The sight of the calling thread; NULL if it is not measured, or is inside a unit, whose waits are
 * no loop. */
struct loop_sight *stopwatch_take_sight(void);

/* Notes that the thread's loop is of that KIND, unless a better one is known. False if the thread
 * is not measured. */
bool stopwatch_note_loop(enum stopwatch_loop kind);

/* Begins an iteration, without costs yet; ends it, and commits the costs of what ran. */
void stopwatch_begin_iteration(void);
void stopwatch_end_iteration(void);

/* The thread is about to wait for another process, and has waited. Inside a unit that is blocked
 * time; the first returns whether such time began. */
bool stopwatch_begin_wait(void);
void stopwatch_end_wait(void);

/* The thread is about to wait, and has waited, between two iterations that the program tells the
 * ends of: what it waits in first, before any unit, is part of neither; as long as nothing HAS_COME
 * that it waits for, the next wait is as well. The first returns whether it is that. */
bool stopwatch_begin_first_wait(void);
void stopwatch_end_first_wait(bool has_come);

/* Nobody asks for groups now: measurements under way are dropped. */
void stopwatch_rest(void);

/* The program reports that it starts or ends handling an event, or that its loop turns, whose idle
 * clock reads IDLE_NS. */
void stopwatch_begin_event(void);
void stopwatch_end_event(void);
void stopwatch_turn(uint64_t idle_ns);

/* The thread ends, or is no longer measured: commits what it has spent. */
void stopwatch_leave_thread(void);

/* In a forked child, whose only thread has measured nothing. */
void stopwatch_after_fork_child(void);

#endif
