#include "child-agent/groups/off_processor.h"
#include "child-agent/groups/stopwatch_inside.h"
#include "child-agent/groups/unit_groups.h"

/* --- Measures --- */

static void increment_counter(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static uint32_t current_processor(void)
{
    return off_processor_is_known() ? off_processor_current() : 0;
}

/* NULL: there is none. */
static struct measure *innermost_measure(struct stopwatch_thread *thread)
{
    return thread->depth > 0 ? &thread->measures[thread->depth - 1] : NULL;
}

static void pause_own(struct measure *measure, const struct moment *now)
{
    measure->own_cpu_ns += now->cpu_ns - measure->own_since.cpu_ns;
    measure->own_blocked_ns += now->blocked_ns - measure->own_since.blocked_ns;
}

static void push_measure(struct stopwatch_thread *thread, struct measure *measure,
                         const struct moment *now)
{
    if (thread->depth > 0)
        pause_own(innermost_measure(thread), now);
    else
        thread->attributed_since_ns = now->cpu_ns;
    measure->number = ++thread->last_number;
    measure->begun = measure->own_since = *now;
    measure->own_cpu_ns = measure->own_blocked_ns = 0;
    measure->processor = current_processor();
    measure->blocked_depth = thread->blocked_depth;
    thread->depth++;
}

/* What an outermost unit has cost is attributed, but its own costs when nobody measures it. */
static void attribute_cost(struct stopwatch_thread *thread, const struct measure *measure,
                           const struct moment *now)
{
    thread->attributed_ns += now->cpu_ns - thread->attributed_since_ns;
    if (__builtin_expect(measure->use_count == 0, 0))
        thread->attributed_ns -= measure->own_cpu_ns;
}

/* Its own costs are somebody's. */
static void pop_measure(struct stopwatch_thread *thread, const struct moment *now)
{
    const struct measure *measure = innermost_measure(thread);
    stopwatch_release(thread, measure);
    thread->depth--;
    if (thread->depth == 0)
        attribute_cost(thread, measure, now);
    else
        innermost_measure(thread)->own_since = *now;
}

/* What is cancelled has no costs of its own: they are those of the unit around it, or nobody's. */
static void move_own_costs(struct stopwatch_thread *thread)
{
    struct measure *measure = innermost_measure(thread);
    if (thread->depth > 1) {
        measure[-1].own_cpu_ns += measure->own_cpu_ns;
        measure[-1].own_blocked_ns += measure->own_blocked_ns;
    } else if (measure->use_count > 0) {              /* else nobody measured it anyway */
        thread->attributed_ns -= measure->own_cpu_ns; /* in which it is a moment later */
    }
}

static void cancel_innermost(struct stopwatch_thread *thread, const struct moment *now)
{
    increment_counter(&core.arena.header->groups.cancelled);
    stopwatch_unblock_to(thread, innermost_measure(thread)->blocked_depth);
    pause_own(innermost_measure(thread), now);
    move_own_costs(thread);
    pop_measure(thread, now);
}

void stopwatch_cancel_above(struct stopwatch_thread *thread, unsigned depth,
                            const struct moment *now)
{
    while (thread->depth > depth)
        cancel_innermost(thread, now);
}

static bool is_on_own_stack(uintptr_t address)
{
    return address >= thread_current->stack_low && address < thread_current->stack_high;
}

/* Whether MEASURE was left without a word, now that FRAME enters with WATCH: its own stopwatch lies
 * beyond the end of the stack, or is the same. What has gone and left no such trace is found out
 * when an outer one is left, or at the end of the iteration. */
static bool is_left_behind(const struct measure *measure, uintptr_t frame,
                           const struct profd_stopwatch *watch)
{
    uintptr_t place = (uintptr_t)measure->watch;
    return measure->watch == watch ||
           (place < frame && is_on_own_stack(place) && is_on_own_stack(frame));
}

static void cancel_left_behind(struct stopwatch_thread *thread, uintptr_t frame,
                               const struct profd_stopwatch *watch, const struct moment *now)
{
    while (thread->depth > 0 && is_left_behind(innermost_measure(thread), frame, watch))
        cancel_innermost(thread, now);
}

/* --- Units --- */

/* The top group has all units, so that an outermost one is an iteration where there is no loop,
 * whether its own groups are measured or not. */
static bool is_iteration(const struct stopwatch_thread *thread)
{
    return thread->depth == 0 && thread->loop == STOPWATCH_NO_LOOP;
}

/* Whether anything of the unit is measured. */
static bool begin_measure(struct stopwatch_thread *thread, const struct profd_stopwatch *watch,
                          const struct profd_unit_groups_ *groups, const struct moment *now)
{
    struct measure *measure = &thread->measures[thread->depth];
    uint64_t now_ns = stopwatch_monotonic_ns(thread, now);
    measure->watch = watch;
    measure->use_count = 0;
    stopwatch_acquire(thread, measure, groups->groups, groups->count, now_ns);
    bool is_measured = measure->use_count > 0 || is_iteration(thread);
    if (__builtin_expect(is_measured, 1))
        push_measure(thread, measure, now);
    return is_measured;
}

static void enter_unit(struct stopwatch_thread *thread, uintptr_t frame,
                       struct profd_stopwatch *watch, const struct profd_unit_groups_ *groups)
{
    stopwatch_note_awake(thread, frame);
    thread->may_wait_first = false;
    struct moment now = stopwatch_now(thread);
    cancel_left_behind(thread, frame, watch, &now);
    if (thread->depth == MEASURES || !begin_measure(thread, watch, groups, &now))
        return;
    if (thread->loop == STOPWATCH_NO_LOOP && !thread->is_in_iteration)
        stopwatch_begin(thread, &now);
    watch->thread_ = thread;
    watch->number_ = thread->last_number;
    watch->depth_ = thread->depth - 1;
}

void profd_unit_enter_slow_(struct profd_stopwatch *watch, struct profd_unit *unit)
{
    const struct profd_unit_groups_ *groups = unit_groups_get(unit);
    struct stopwatch_thread *thread = groups != NULL ? stopwatch_take() : NULL;
    if (thread == NULL)
        return;
    enter_unit(thread, STOPWATCH_FRAME, watch, groups);
    stopwatch_give_and_tell(thread);
}

static void leave_unit(struct stopwatch_thread *thread, unsigned depth)
{
    stopwatch_note_unblocked(thread, STOPWATCH_FRAME);
    struct moment now = stopwatch_now(thread);
    stopwatch_cancel_above(thread, depth + 1, &now);
    struct measure *measure = innermost_measure(thread);
    const struct group_costs costs = stopwatch_between(thread, &measure->begun, &now);
    pause_own(measure, &now);
    stopwatch_charge(thread, measure, &costs);
    if (measure->processor != current_processor())
        increment_counter(&core.arena.header->groups.moved);
    pop_measure(thread, &now);
    if (thread->depth == 0 && thread->loop == STOPWATCH_NO_LOOP)
        stopwatch_commit(thread, &now);
}

/* Whether WATCH is that of a measure under way, in this thread of this process. */
static bool is_measure_running(const struct stopwatch_thread *thread,
                               const struct profd_stopwatch *watch)
{
    return watch->thread_ == thread && watch->depth_ < thread->depth &&
           thread->measures[watch->depth_].number == watch->number_;
}

void profd_unit_leave_slow_(struct profd_stopwatch *watch)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return;
    if (!stopwatch_is_current(thread))
        stopwatch_drop_all(thread);
    else if (is_measure_running(thread, watch))
        leave_unit(thread, watch->depth_);
    watch->thread_ = NULL;
    stopwatch_give_and_tell(thread);
}
