/* What the files of the stopwatch share: the state of a thread, and access to it. Included by
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
    GROUP_USES = 512, /* in one iteration; a power of two */
    MEASURES = 64,    /* nested in each other; what is deeper counts as part of the last */
};

/* One moment, on all clocks on which costs are measured. */
struct moment {
    uint64_t ticks, cpu_ns, blocked_ns;
};

/* What a group has cost in the current iteration. */
struct group_use {
    uint64_t iteration; /* the iteration that this belongs to; if it is another one, the place is
                         * free */
    struct profd_group *group;
    struct group_record *record; /* NULL: not available */
    bool is_acquired;
    bool has_run;
    uint64_t since_ns; /* when it was acquired */
    struct group_costs costs;
};

/* A measurement in progress. It is not stored where the program keeps its stopwatch, which may have
 * been left by longjmp and overwritten. */
struct measure {
    uint64_t number;                     /* unique within the thread */
    const struct profd_stopwatch *watch; /* must not be dereferenced */
    struct moment begun;
    struct moment own_since; /* costs of the unit itself, without inner units, since here … */
    uint64_t own_cpu_ns, own_blocked_ns; /* … and before that */
    uint32_t processor;
    unsigned blocked_depth; /* depth at the beginning */
    unsigned use_count;
    uint16_t uses[PROFD_UNIT_MOST_GROUPS + 1]; /* the uses that it has acquired */
};

struct stopwatch_thread {
    struct cpu_meter meter;
    enum stopwatch_loop loop;
    struct loop_sight sight;
    uint32_t monitoring;    /* the monitoring in which it takes part, see groups.h; 0: none */
    bool reads_cpu;         /* in this monitoring; otherwise CPU times are 0 */
    struct clock_pair wall; /* taken not long ago */
    struct profd_group *top;
    uint64_t iteration; /* counts from 1 */
    bool is_in_iteration;
    struct moment begun;       /* start of the iteration … */
    uint64_t begun_ns;         /* … on CLOCK_MONOTONIC */
    uint64_t idle_ns;          /* the loop's idle clock at the start of the iteration */
    bool may_wait_first;       /* the iteration was begun by the end of another one, and nothing has
                                * come since */
    uint64_t first_wait_ticks; /* when that wait began */
    struct moment billed;      /* the moment up to which the top group has been charged */
    uint64_t attributed_ns, attributed_since_ns;
    uint64_t blocked_ticks, blocked_since_ticks; /* 0: not blocked at the moment */
    unsigned blocked_depth;
    uintptr_t waiting_frame;    /* frame of a wait in progress, which may be left by longjmp; 0:
                                 * none */
    uintptr_t first_wait_frame; /* the same for the wait for an iteration */
    uint16_t used[GROUP_USES];
    unsigned used_count;
    bool has_holes; /* a search may not find every use of this iteration at its place */
    struct group_use uses[GROUP_USES];
    struct pending_alerts alerts; /* reported after the thread has left the stopwatch */
    uint64_t last_number;
    unsigned depth; /* measurements in progress */
    struct measure measures[MEASURES];
};

/* --- The thread (stopwatch_thread.c) --- */

/* Returns the calling thread's stopwatch; NULL if it has measured nothing. */
static inline struct stopwatch_thread *stopwatch_own(void)
{
    return thread_current != NULL ? thread_current->stopwatch : NULL;
}

/* Returns whether clocks may be read. Behind a filter of system calls that may be forbidden, and
 * may kill the process. */
static inline bool stopwatch_may_read_clocks(void)
{
    return !atomic_load_explicit(&core.has_filter, memory_order_relaxed);
}

/* For stopwatch_take(): gets the state of a thread that has measured nothing so far, and begins to
 * measure what is requested. stopwatch_make() returns NULL if the thread cannot be measured. */
struct stopwatch_thread *stopwatch_make(void);
void stopwatch_begin_monitoring(struct stopwatch_thread *thread);

/* Takes the calling thread's stopwatch, which a signal handler then finds taken until
 * stopwatch_give(). Returns NULL if it is taken already or the thread is not measured. */
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

/* Called after stopwatch_give(). Tells the observers about what was committed. */
void stopwatch_notify_observers(void);
static inline void stopwatch_give_and_tell(const struct stopwatch_thread *thread)
{
    bool has_news = thread->alerts.count > 0;
    stopwatch_give();
    if (__builtin_expect(has_news, 0))
        stopwatch_notify_observers();
}

/* Like stopwatch_take(), for a thread that has already measured something, whether or not it is
 * still valid. */
static inline struct stopwatch_thread *stopwatch_take_old(void)
{
    struct stopwatch_thread *thread = stopwatch_own();
    if (thread == NULL || thread_current->is_in_groups)
        return NULL;
    thread_current->is_in_groups = true;
    atomic_signal_fence(memory_order_seq_cst);
    return thread;
}

/* Returns whether what THREAD measures is still requested. */
static inline bool stopwatch_is_current(const struct stopwatch_thread *thread)
{
    return groups_are_wanted() && thread->monitoring == groups_monitoring() &&
           stopwatch_may_read_clocks();
}

/* Shows that RECORD's group, which began to run at SINCE_NS, is no longer running. If another
 * thread begins at the same moment, that is not shown: making sure would take longer than
 * everything else. */
static inline void stopwatch_show_rest(struct group_record *record, uint64_t since_ns)
{
    if (record != NULL && since_ns != 0 &&
        atomic_load_explicit(&record->running_since_ns, memory_order_relaxed) == since_ns)
        atomic_store_explicit(&record->running_since_ns, 0, memory_order_relaxed);
}

#define STOPWATCH_FRAME ((uintptr_t)__builtin_frame_address(0))

/* Notes that the thread is in FRAME. If that is not deeper than a wait in progress, the wait must
 * have been left: during a wait only signal handlers run, in deeper frames. */
void stopwatch_end_stale_wait(struct stopwatch_thread *thread);
static inline void stopwatch_note_unblocked(struct stopwatch_thread *thread, uintptr_t frame)
{
    if (__builtin_expect(thread->waiting_frame != 0, 0) && frame >= thread->waiting_frame)
        stopwatch_end_stale_wait(thread);
}

/* Like stopwatch_note_unblocked(). In addition the thread does not wait for its iteration there,
 * which nobody does inside a unit. */
void stopwatch_end_stale_first_wait(struct stopwatch_thread *thread);
static inline void stopwatch_note_awake(struct stopwatch_thread *thread, uintptr_t frame)
{
    stopwatch_note_unblocked(thread, frame);
    if (__builtin_expect(thread->first_wait_frame != 0, 0) && frame >= thread->first_wait_frame)
        stopwatch_end_stale_first_wait(thread);
}

/* Ends blocked time beyond DEPTH. */
void stopwatch_unblock_to(struct stopwatch_thread *thread, unsigned depth);

/* Drops all measurements in progress without reading a clock. Their costs count for nobody. */
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

/* Returns NOW on CLOCK_MONOTONIC, the only clock in common with readers in other processes. */
uint64_t stopwatch_monotonic_ns(struct stopwatch_thread *thread, const struct moment *now);

/* Returns the costs between two moments. */
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

/* stopwatch_acquire() makes MEASURE acquire, from NOW_NS on, those of COUNT GROUPS that are
 * measured and that no outer measure has. stopwatch_release() releases all that it has. */
void stopwatch_acquire(struct stopwatch_thread *thread, struct measure *measure,
                       struct profd_group *const *groups, unsigned count, uint64_t now_ns);
void stopwatch_release(struct stopwatch_thread *thread, const struct measure *measure);

/* Charges COSTS to the groups that MEASURE has acquired. */
void stopwatch_charge(struct stopwatch_thread *thread, const struct measure *measure,
                      const struct group_costs *costs);

/* stopwatch_begin() begins an iteration; stopwatch_commit() commits everything that has run since
 * then. */
void stopwatch_begin(struct stopwatch_thread *thread, const struct moment *now);

/* Shows to others that the iteration runs at NOW, and since when. */
void stopwatch_show_iteration(struct stopwatch_thread *thread, const struct moment *now);
void stopwatch_commit(struct stopwatch_thread *thread, const struct moment *now);

/* --- Units (stopwatch_units.c) --- */

/* Cancels the measures nested deeper than DEPTH. */
void stopwatch_cancel_above(struct stopwatch_thread *thread, unsigned depth,
                            const struct moment *now);

#endif
