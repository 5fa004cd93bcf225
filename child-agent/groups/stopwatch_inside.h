/* What the files of the stopwatch share: the state of a thread, and how it is had. Included by
 * stopwatch*.c only. */
#ifndef PROFD_AGENT_STOPWATCH_INSIDE_H
#define PROFD_AGENT_STOPWATCH_INSIDE_H

#include <stdatomic.h>
#include <stddef.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/groups/cpu_meter.h"
#include "child-agent/groups/group_observers.h"
#include "child-agent/groups/group_registry.h"
#include "child-agent/groups/groups.h"
#include "child-agent/groups/stopwatch.h"
#include "child-agent/threads/thread_registration.h"
#include "profd.h"

enum {
    GROUP_USES = 512, /* a power of two; of one iteration */
    MEASURES = 64,    /* one inside the other; what is deeper counts as part of the last */
};

/* One moment, on the clocks that costs are told by. */
struct moment {
    uint64_t ticks, cpu_ns, blocked_ns;
};

/* What a group has cost in the iteration under way. */
struct group_use {
    uint64_t iteration; /* that it is of; else the place is free */
    struct profd_group *group;
    struct group_record *record; /* NULL: there is none to be had */
    bool is_acquired;
    bool has_run;
    uint64_t since_ns; /* of its acquisition */
    struct group_costs costs;
};

/* One that is under way. It is not where the program keeps its stopwatch, which may have been left
 * by longjmp, and be anything by now. */
struct measure {
    uint64_t number;                     /* no two of a thread have the same */
    const struct profd_stopwatch *watch; /* not to be looked at */
    struct moment begun;
    struct moment own_since; /* the costs of the unit itself, without units inside … */
    uint64_t own_cpu_ns, own_blocked_ns; /* … and those before that */
    uint32_t processor;
    unsigned blocked_depth; /* when it began */
    unsigned use_count;
    uint16_t uses[PROFD_UNIT_MOST_GROUPS + 1]; /* that it acquired */
};

struct stopwatch_thread {
    struct cpu_meter meter;
    enum stopwatch_loop loop;
    struct loop_sight sight;
    uint32_t monitoring;    /* that it takes part in; see groups.h; 0: none */
    bool reads_cpu;         /* in this monitoring; else CPU times are 0 */
    struct clock_pair wall; /* not long ago */
    struct profd_group *top;
    uint64_t iteration; /* from 1 */
    bool is_in_iteration;
    struct moment begun;       /* the iteration, … */
    uint64_t begun_ns;         /* … on CLOCK_MONOTONIC */
    uint64_t idle_ns;          /* of a loop that turns, when it began */
    bool may_wait_first;       /* it was begun by the end of another one, and nothing came since */
    uint64_t first_wait_ticks; /* when it began to */
    struct moment billed;      /* up to where the top group's totals go */
    uint64_t attributed_ns, attributed_since_ns;
    uint64_t blocked_ticks, blocked_since_ticks; /* 0: it is not blocked now */
    unsigned blocked_depth;
    uintptr_t waiting_frame;    /* of the wait among them, which may be left by longjmp; 0: none */
    uintptr_t first_wait_frame; /* likewise of that for the iteration */
    uint16_t used[GROUP_USES];
    unsigned used_count;
    bool has_holes; /* uses of this iteration need not be where a search comes by */
    struct group_use uses[GROUP_USES];
    struct pending_alerts alerts; /* told when the thread has left the stopwatch */
    uint64_t last_number;
    unsigned depth; /* measures under way */
    struct measure measures[MEASURES];
};

/* --- The thread (stopwatch_thread.c) --- */

/* NULL: it has measured nothing. */
static inline struct stopwatch_thread *stopwatch_own(void)
{
    return thread_current != NULL ? thread_current->stopwatch : NULL;
}

/* Behind a filter reading a clock may be forbidden, and may kill. */
static inline bool stopwatch_may_read_clocks(void)
{
    return !atomic_load_explicit(&core.has_filter, memory_order_relaxed);
}

/* For stopwatch_take(): one that has measured nothing so far, or not what is asked for now. NULL:
 * it cannot be measured. */
struct stopwatch_thread *stopwatch_make(void);
void stopwatch_begin_monitoring(struct stopwatch_thread *thread);

/* Until stopwatch_give(), a signal handler finds the thread taken. NULL: it is, or is not measured.
 */
static inline struct stopwatch_thread *stopwatch_take(void)
{
    if (thread_current == NULL || thread_current->is_in_groups || !stopwatch_may_read_clocks())
        return NULL;
    thread_current->is_in_groups = true;
    atomic_signal_fence(memory_order_seq_cst);
    struct stopwatch_thread *thread = thread_current->stopwatch;
    if (__builtin_expect(thread == NULL, 0))
        thread = stopwatch_make();
    if (thread == NULL)
        thread_current->is_in_groups = false;
    else if (thread->monitoring != groups_monitoring())
        stopwatch_begin_monitoring(thread);
    return thread;
}

static inline void stopwatch_give(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    thread_current->is_in_groups = false;
}

/* After that: whoever observes what was committed is told. */
void stopwatch_notify_observers(void);
static inline void stopwatch_give_and_tell(const struct stopwatch_thread *thread)
{
    bool has_news = thread->alerts.count > 0;
    stopwatch_give();
    if (__builtin_expect(has_news, 0))
        stopwatch_notify_observers();
}

/* The same for one that has measured something; what that is worth is another question. */
static inline struct stopwatch_thread *stopwatch_take_old(void)
{
    struct stopwatch_thread *thread = stopwatch_own();
    if (thread == NULL || thread_current->is_in_groups)
        return NULL;
    thread_current->is_in_groups = true;
    atomic_signal_fence(memory_order_seq_cst);
    return thread;
}

/* Whether what THREAD measures now is what somebody asked for. */
static inline bool stopwatch_is_current(const struct stopwatch_thread *thread)
{
    return groups_are_wanted() && thread->monitoring == groups_monitoring() &&
           stopwatch_may_read_clocks();
}

/* Shows that RECORD's group, which began to run at SINCE_NS, no longer runs. If another thread
 * begins at this very moment, that is not shown: making sure would take longer than all the rest.
 */
static inline void stopwatch_show_rest(struct group_record *record, uint64_t since_ns)
{
    if (record != NULL && since_ns != 0 &&
        atomic_load_explicit(&record->running_since_ns, memory_order_relaxed) == since_ns)
        atomic_store_explicit(&record->running_since_ns, 0, memory_order_relaxed);
}

#define STOPWATCH_FRAME ((uintptr_t)__builtin_frame_address(0))

/* The thread is in FRAME, so it is not blocked further in: handlers of signals alone are called
 * from there. */
void stopwatch_end_stale_wait(struct stopwatch_thread *thread);
static inline void stopwatch_note_unblocked(struct stopwatch_thread *thread, uintptr_t frame)
{
    if (__builtin_expect(thread->waiting_frame != 0, 0) && frame >= thread->waiting_frame)
        stopwatch_end_stale_wait(thread);
}

/* The same, and it does not wait for its iteration there either, which nobody does in a unit. */
void stopwatch_end_stale_first_wait(struct stopwatch_thread *thread);
static inline void stopwatch_note_awake(struct stopwatch_thread *thread, uintptr_t frame)
{
    stopwatch_note_unblocked(thread, frame);
    if (__builtin_expect(thread->first_wait_frame != 0, 0) && frame >= thread->first_wait_frame)
        stopwatch_end_stale_first_wait(thread);
}

/* Ends what was blocked beyond DEPTH. */
void stopwatch_unblock_to(struct stopwatch_thread *thread, unsigned depth);

/* Without a reading of any clock: what is under way counts for nobody. */
void stopwatch_drop_all(struct stopwatch_thread *thread);

/* --- Its clocks --- */

static inline struct moment moment_of(const struct stopwatch_thread *thread, uint64_t ticks,
                                      uint64_t cpu_ns)
{
    uint64_t blocked_ticks = thread->blocked_ticks;
    if (thread->blocked_since_ticks != 0)
        blocked_ticks += ticks - thread->blocked_since_ticks;
    return (struct moment){
        .ticks = ticks,
        .cpu_ns = cpu_ns,
        .blocked_ns = cpu_meter_duration_ns(&thread->meter, blocked_ticks),
    };
}

static inline struct moment stopwatch_now(struct stopwatch_thread *thread)
{
    uint64_t ticks = clock_ticks();
    return moment_of(thread, ticks, thread->reads_cpu ? cpu_meter_read(&thread->meter, ticks) : 0);
}

static inline struct moment stopwatch_now_after_wait(struct stopwatch_thread *thread)
{
    uint64_t ticks = clock_ticks();
    return moment_of(thread, ticks,
                     thread->reads_cpu ? cpu_meter_resume(&thread->meter, ticks) : 0);
}

/* For those who look from outside: they have no other clock in common with us. */
uint64_t stopwatch_monotonic_ns(struct stopwatch_thread *thread, const struct moment *now);

/* What went by from one moment to another. */
static inline struct group_costs stopwatch_between(const struct stopwatch_thread *thread,
                                                   const struct moment *from,
                                                   const struct moment *to)
{
    return (struct group_costs){
        .cpu_ns = to->cpu_ns - from->cpu_ns,
        .wall_ns = cpu_meter_duration_ns(&thread->meter, to->ticks - from->ticks),
        .blocked_ns = to->blocked_ns - from->blocked_ns,
    };
}

/* --- Costs (stopwatch_costs.c) --- */

/* MEASURE has those of COUNT GROUPS from NOW_NS on that are measured, and that no outer measure
 * has; it releases all that it has. */
void stopwatch_acquire(struct stopwatch_thread *thread, struct measure *measure,
                       struct profd_group *const *groups, unsigned count, uint64_t now_ns);
void stopwatch_release(struct stopwatch_thread *thread, const struct measure *measure);

/* The groups that MEASURE has have cost COSTS in it. */
void stopwatch_charge(struct stopwatch_thread *thread, const struct measure *measure,
                      const struct group_costs *costs);

/* An iteration begins; and all that ran since then is committed. */
void stopwatch_begin(struct stopwatch_thread *thread, const struct moment *now);

/* Others see that it runs NOW, since when it began. */
void stopwatch_show_iteration(struct stopwatch_thread *thread, const struct moment *now);
void stopwatch_commit(struct stopwatch_thread *thread, const struct moment *now);

/* --- Units (stopwatch_units.c) --- */

/* Cancels the measures inside the first DEPTH. */
void stopwatch_cancel_above(struct stopwatch_thread *thread, unsigned depth,
                            const struct moment *now);

#endif
