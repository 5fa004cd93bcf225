#include "child-agent/groups/stopwatch.h"

#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "buffer/unforked_pages.h"
#include "child-agent/core.h"
#include "child-agent/dormancy.h"
#include "child-agent/groups/cpu_meter.h"
#include "child-agent/groups/group_registry.h"
#include "child-agent/groups/groups.h"
#include "child-agent/groups/off_processor.h"
#include "child-agent/groups/unit_groups.h"
#include "child-agent/threads/thread_registry.h"
#include "profd.h"

enum {
    GROUP_USES = 512, /* a power of two; of one iteration */
    GROUP_USES_FULL = GROUP_USES * 3 / 4,
    MEASURES = 64, /* one inside the other; what is deeper counts as part of the last */
    THREAD_NAME_MOST_BYTES = 16,
    POINTER_ALIGNMENT = 16,
    WALL_HOLDS_NS = 1000 * 1000 * 1000,
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
    struct group_costs costs;
};

/* One that is under way. It is not where the program keeps its stopwatch, which may have been left
 * by longjmp, and be anything by now. */
struct measure {
    uint64_t number;                     /* no two of a thread have the same */
    const struct profd_stopwatch *watch; /* not to be looked at */
    uintptr_t frame;                     /* of the function that entered */
    struct moment begun;
    struct moment own_since; /* the costs of the unit itself, without units inside … */
    uint64_t own_cpu_ns, own_blocked_ns; /* … and those before that */
    uint32_t processor;
    unsigned use_count;
    uint16_t uses[PROFD_UNIT_MOST_GROUPS + 1]; /* that it acquired */
};

struct stopwatch_thread {
    struct cpu_meter meter;
    enum stopwatch_loop loop;
    struct loop_sight sight;
    bool is_busy;           /* a signal handler finds the thread in here */
    uint32_t monitoring;    /* that it takes part in; see groups.h */
    struct clock_pair wall; /* not long ago */
    struct profd_group *top;
    uint64_t iteration; /* from 1 */
    bool is_in_iteration;
    struct moment begun;  /* the iteration */
    uint64_t idle_ns;     /* of a loop that turns, when it began */
    struct moment billed; /* up to where the top group's totals go */
    uint64_t attributed_ns, attributed_since_ns;
    uint64_t blocked_ns, blocked_since_ticks; /* 0: it is not blocked now */
    unsigned blocked_depth;
    uint16_t used[GROUP_USES];
    unsigned used_count;
    struct group_use uses[GROUP_USES];
    uint64_t last_number;
    unsigned depth; /* measures under way */
    struct measure measures[MEASURES];
};

/* NULL: it has measured nothing. */
static struct stopwatch_thread *own_thread(void)
{
    return thread_current != NULL ? thread_current->stopwatch : NULL;
}

/* --- Threads --- */

static struct profd_group *get_top(void)
{
    char name[THREAD_NAME_MOST_BYTES + 1] = "";
    (void)syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0); /* else it has none */
    const struct group_identity identity = {
        .kind = "thread", .name = name, .flags = GROUP_IS_TOP, .thread = thread_current->id.number
    };
    return group_registry_ref(&identity, true);
}

static struct moment moment_of(const struct stopwatch_thread *thread, uint64_t ticks,
                               uint64_t cpu_ns)
{
    struct moment now = { .ticks = ticks, .cpu_ns = cpu_ns };
    now.blocked_ns = thread->blocked_ns;
    if (thread->blocked_since_ticks != 0)
        now.blocked_ns +=
            cpu_meter_duration_ns(&thread->meter, now.ticks - thread->blocked_since_ticks);
    return now;
}

static struct moment now_of(struct stopwatch_thread *thread)
{
    uint64_t ticks = clock_ticks();
    return moment_of(thread, ticks, cpu_meter_read(&thread->meter, ticks));
}

static struct moment now_after_wait(struct stopwatch_thread *thread)
{
    uint64_t ticks = clock_ticks();
    return moment_of(thread, ticks, cpu_meter_resume(&thread->meter, ticks));
}

/* For those who look from outside: they have no other clock in common with us. */
static uint64_t monotonic_ns(struct stopwatch_thread *thread, const struct moment *now)
{
    uint64_t since_ns = cpu_meter_duration_ns(&thread->meter, now->ticks - thread->wall.ticks);
    if (since_ns > WALL_HOLDS_NS || thread->meter.rate == 0) {
        thread->wall = clock_read_pair();
        return thread->wall.monotonic_ns;
    }
    return thread->wall.monotonic_ns + since_ns;
}

/* What was used before somebody asked is nobody's. */
static void begin_monitoring(struct stopwatch_thread *thread)
{
    uint64_t never = 0;
    thread->monitoring = groups_monitoring();
    thread->depth = 0;
    thread->used_count = 0;
    thread->iteration++;
    thread->is_in_iteration = false;
    thread->attributed_ns = 0;
    thread->billed = now_of(thread);
    thread->wall = clock_read_pair();
    (void)atomic_compare_exchange_strong(&core.arena.header->groups.since_ns, &never,
                                         thread->wall.monotonic_ns);
}

static struct stopwatch_thread *make_thread(void)
{
    if (thread_current == NULL || core_is_forking || !core_own.is_followed)
        return NULL;
    dormancy_end();
    if (!core_own.has_arena)
        return NULL;
    struct stopwatch_thread *thread = unforked_pages_allocate(sizeof(*thread));
    if (thread == NULL)
        return NULL;
    thread->top = get_top();
    thread_current->stopwatch = thread;
    return thread;
}

/* NULL: the thread is not measured, or is being at this moment. */
static struct stopwatch_thread *get_thread(void)
{
    struct stopwatch_thread *thread = own_thread();
    if (__builtin_expect(thread == NULL, 0))
        thread = make_thread();
    /* Behind a filter reading the clock may be forbidden, and may kill. */
    if (thread == NULL || thread->is_busy || atomic_load(&core.has_filter))
        return NULL;
    if (thread->monitoring != groups_monitoring())
        begin_monitoring(thread);
    return thread;
}

/* --- What groups cost in an iteration --- */

static struct group_use *find_use(struct stopwatch_thread *thread, struct profd_group *group)
{
    size_t place = (uintptr_t)group / POINTER_ALIGNMENT;
    struct group_use *use;
    for (;; place++) {
        use = &thread->uses[place % GROUP_USES];
        if (use->iteration != thread->iteration)
            break;
        if (use->group == group)
            return use;
    }
    if (thread->used_count >= GROUP_USES_FULL)
        return NULL;
    *use = (struct group_use){ .iteration = thread->iteration,
                               .group = group,
                               .record = group_registry_record(group) };
    thread->used[thread->used_count++] = (uint16_t)(use - thread->uses);
    return use;
}

static void show_running(const struct group_use *use, uint64_t since_ns)
{
    if (use->record != NULL)
        atomic_store_explicit(&use->record->running_since_ns, since_ns, memory_order_relaxed);
}

static bool is_measured(const struct profd_group *group)
{
    return atomic_load_explicit(&group->is_active, memory_order_relaxed) ||
           (groups_are_detailed() && (group->flags & GROUP_IS_UNIT));
}

static void acquire(struct stopwatch_thread *thread, struct measure *measure,
                    struct profd_group *group, uint64_t now_ns)
{
    struct group_use *use = is_measured(group) ? find_use(thread, group) : NULL;
    if (use == NULL || use->is_acquired)
        return;
    use->is_acquired = true;
    show_running(use, now_ns);
    measure->uses[measure->use_count++] = (uint16_t)(use - thread->uses);
}

static void release(struct group_use *use)
{
    use->is_acquired = false;
    show_running(use, 0);
}

/* A unit's own group has its own share of the costs alone. */
static void charge(struct group_use *use, const struct measure *measure,
                   const struct group_costs *costs)
{
    bool is_own = (use->group->flags & GROUP_IS_UNIT) != 0;
    use->costs.cpu_ns += is_own ? measure->own_cpu_ns : costs->cpu_ns;
    use->costs.blocked_ns += is_own ? measure->own_blocked_ns : costs->blocked_ns;
    use->costs.wall_ns += costs->wall_ns;
    use->has_run = true;
}

/* --- Measures --- */

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static uint32_t current_processor(void)
{
    return off_processor_is_known() ? off_processor_current() : 0;
}

/* NULL: there is none. */
static struct measure *innermost(struct stopwatch_thread *thread)
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
        pause_own(innermost(thread), now);
    else
        thread->attributed_since_ns = now->cpu_ns;
    measure->number = ++thread->last_number;
    measure->begun = measure->own_since = *now;
    measure->own_cpu_ns = measure->own_blocked_ns = 0;
    measure->processor = current_processor();
    thread->depth++;
}

static void pop_measure(struct stopwatch_thread *thread, const struct moment *now)
{
    const struct measure *measure = innermost(thread);
    for (unsigned i = 0; i < measure->use_count; i++)
        release(&thread->uses[measure->uses[i]]);
    thread->depth--;
    if (thread->depth == 0)
        thread->attributed_ns += now->cpu_ns - thread->attributed_since_ns;
    else
        innermost(thread)->own_since = *now;
}

static void cancel_innermost(struct stopwatch_thread *thread, const struct moment *now)
{
    count(&core.arena.header->groups.cancelled);
    pop_measure(thread, now);
}

static void cancel_above(struct stopwatch_thread *thread, unsigned depth, const struct moment *now)
{
    while (thread->depth > depth)
        cancel_innermost(thread, now);
}

static bool is_on_own_stack(uintptr_t address)
{
    return address >= thread_current->stack_low && address < thread_current->stack_high;
}

/* Whether MEASURE was left without a word, now that FRAME enters with WATCH: its function has gone,
 * or would have two measures in one place. What has gone and left no such trace is found out when
 * an outer one is left, or at the end of the iteration. */
static bool is_left_behind(const struct measure *measure, uintptr_t frame,
                           const struct profd_stopwatch *watch)
{
    return measure->watch == watch ||
           (measure->frame < frame && is_on_own_stack(measure->frame) && is_on_own_stack(frame));
}

static void cancel_left_behind(struct stopwatch_thread *thread, uintptr_t frame,
                               const struct profd_stopwatch *watch, const struct moment *now)
{
    while (thread->depth > 0 && is_left_behind(innermost(thread), frame, watch))
        cancel_innermost(thread, now);
}

/* --- Committing --- */

static struct group_costs between(const struct stopwatch_thread *thread, const struct moment *from,
                                  const struct moment *to)
{
    return (struct group_costs){
        .cpu_ns = to->cpu_ns - from->cpu_ns,
        .wall_ns = cpu_meter_duration_ns(&thread->meter, to->ticks - from->ticks),
        .blocked_ns = to->blocked_ns - from->blocked_ns,
    };
}

static void commit_use(const struct group_use *use)
{
    if (use->record != NULL && use->has_run)
        group_record_commit(use->record, &use->costs);
}

/* All of the thread's time is its top group's; an iteration has what lies within it. */
static void commit_top(struct stopwatch_thread *thread, const struct moment *now, bool is_iteration)
{
    struct group_record *record = group_registry_record(thread->top);
    const struct moment *begun = is_iteration ? &thread->begun : now;
    struct group_costs before = between(thread, &thread->billed, begun);
    struct group_costs within = between(thread, begun, now);
    uint64_t cpu_ns = before.cpu_ns + within.cpu_ns;
    uint64_t unattributed_ns = cpu_ns > thread->attributed_ns ? cpu_ns - thread->attributed_ns : 0;
    thread->billed = *now;
    thread->attributed_ns = 0;
    if (record == NULL)
        return;
    before.wall_ns = 0; /* of iterations only */
    before.unattributed_ns = unattributed_ns;
    group_record_add(record, &before);
    if (is_iteration)
        group_record_commit(record, &within);
    atomic_store_explicit(&record->running_since_ns, 0, memory_order_relaxed);
}

static void commit_uses(struct stopwatch_thread *thread)
{
    for (unsigned i = 0; i < thread->used_count; i++)
        commit_use(&thread->uses[thread->used[i]]);
    thread->used_count = 0;
    thread->iteration++;
}

static void commit(struct stopwatch_thread *thread, const struct moment *now)
{
    commit_uses(thread);
    commit_top(thread, now, thread->is_in_iteration);
    thread->is_in_iteration = false;
}

static void begin_iteration(struct stopwatch_thread *thread, const struct moment *now)
{
    struct group_record *record = group_registry_record(thread->top);
    thread->is_in_iteration = true;
    thread->begun = *now;
    if (record != NULL)
        atomic_store_explicit(&record->running_since_ns, monotonic_ns(thread, now),
                              memory_order_relaxed);
}

/* --- Units --- */

/* Whether anything of the unit is measured. */
static bool begin_measure(struct stopwatch_thread *thread, uintptr_t frame,
                          const struct profd_stopwatch *watch,
                          const struct profd_unit_groups_ *groups, const struct moment *now)
{
    struct measure *measure = &thread->measures[thread->depth];
    uint64_t now_ns = monotonic_ns(thread, now);
    measure->frame = frame;
    measure->watch = watch;
    measure->use_count = 0;
    for (unsigned i = 0; i < groups->count; i++)
        acquire(thread, measure, groups->groups[i], now_ns);
    if (measure->use_count > 0)
        push_measure(thread, measure, now);
    return measure->use_count > 0;
}

static void enter(struct stopwatch_thread *thread, uintptr_t frame, struct profd_stopwatch *watch,
                  const struct profd_unit_groups_ *groups)
{
    struct moment now = now_of(thread);
    cancel_left_behind(thread, frame, watch, &now);
    if (thread->loop == STOPWATCH_NO_LOOP && !thread->is_in_iteration)
        begin_iteration(thread, &now);
    /* So many groups in one iteration that some of them seem to have had two. */
    if (thread->depth == 0 && thread->used_count > GROUP_USES_FULL - groups->count)
        commit_uses(thread);
    if (thread->depth == MEASURES || !begin_measure(thread, frame, watch, groups, &now))
        return;
    watch->thread_ = thread;
    watch->number_ = thread->last_number;
    watch->depth_ = thread->depth - 1;
}

void profd_unit_enter_slow_(struct profd_stopwatch *watch, struct profd_unit *unit)
{
    struct stopwatch_thread *thread = get_thread();
    const struct profd_unit_groups_ *groups = thread != NULL ? unit_groups_get(unit) : NULL;
    if (groups == NULL)
        return;
    thread->is_busy = true;
    enter(thread, (uintptr_t)__builtin_frame_address(0), watch, groups);
    thread->is_busy = false;
}

static void leave(struct stopwatch_thread *thread, unsigned depth)
{
    struct moment now = now_of(thread);
    cancel_above(thread, depth + 1, &now);
    struct measure *measure = innermost(thread);
    const struct group_costs costs = between(thread, &measure->begun, &now);
    pause_own(measure, &now);
    for (unsigned i = 0; i < measure->use_count; i++)
        charge(&thread->uses[measure->uses[i]], measure, &costs);
    if (measure->processor != current_processor())
        count(&core.arena.header->groups.moved);
    pop_measure(thread, &now);
    if (thread->depth == 0 && thread->loop == STOPWATCH_NO_LOOP)
        commit(thread, &now);
}

/* Whether WATCH is that of a measure under way, in this thread of this process. */
static bool is_under_way(const struct stopwatch_thread *thread, const struct profd_stopwatch *watch)
{
    return thread != NULL && watch->thread_ == thread && watch->depth_ < thread->depth &&
           thread->measures[watch->depth_].number == watch->number_;
}

void profd_unit_leave_slow_(struct profd_stopwatch *watch)
{
    struct stopwatch_thread *thread = own_thread();
    if (is_under_way(thread, watch) && !thread->is_busy) {
        thread->is_busy = true;
        leave(thread, watch->depth_);
        thread->is_busy = false;
    }
    watch->thread_ = NULL;
}

/* --- Iterations --- */

struct loop_sight *stopwatch_sight(void)
{
    struct stopwatch_thread *thread = get_thread();
    return thread != NULL ? &thread->sight : NULL;
}

bool stopwatch_note_loop(enum stopwatch_loop kind)
{
    struct stopwatch_thread *thread = get_thread();
    if (thread == NULL)
        return false;
    if (kind > thread->loop)
        thread->loop = kind;
    return thread->loop == kind;
}

void stopwatch_begin_iteration(void)
{
    struct stopwatch_thread *thread = get_thread();
    if (thread == NULL)
        return;
    struct moment now = now_after_wait(thread);
    begin_iteration(thread, &now);
}

void stopwatch_end_iteration(void)
{
    struct stopwatch_thread *thread = get_thread();
    if (thread == NULL)
        return;
    thread->is_busy = true;
    struct moment now = now_of(thread);
    cancel_above(thread, 0, &now);
    commit(thread, &now);
    thread->is_busy = false;
}

void profd_iteration_end(void)
{
    if (!groups_are_wanted() || !stopwatch_note_loop(STOPWATCH_TOLD_LOOP))
        return;
    stopwatch_end_iteration();
    stopwatch_begin_iteration();
}

void profd_nested_loop_begin(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? get_thread() : NULL;
    if (thread == NULL)
        return;
    struct moment now = now_of(thread);
    cancel_above(thread, 0, &now);
}

void profd_nested_loop_end(void)
{
}

/* --- Events of the program's own loop --- */

void stopwatch_begin_event(void)
{
    if (groups_are_wanted() && stopwatch_note_loop(STOPWATCH_TOLD_LOOP))
        stopwatch_begin_iteration();
}

void stopwatch_end_event(void)
{
    struct stopwatch_thread *thread = own_thread();
    if (thread != NULL && thread->loop == STOPWATCH_TOLD_LOOP && thread->is_in_iteration)
        stopwatch_end_iteration();
}

/* The wait is somewhere within the turn, so it is taken off as if it came first. */
void stopwatch_turn(uint64_t idle_ns)
{
    if (!groups_are_wanted() || !stopwatch_note_loop(STOPWATCH_TURNS))
        return;
    struct stopwatch_thread *thread = own_thread();
    uint64_t waited_ns = idle_ns - thread->idle_ns;
    uint64_t waited_ticks = cpu_meter_ticks(&thread->meter, waited_ns);
    if (thread->is_in_iteration && waited_ticks < clock_ticks() - thread->begun.ticks)
        thread->begun.ticks += waited_ticks;
    stopwatch_end_iteration();
    stopwatch_begin_iteration();
    thread->idle_ns = idle_ns;
}

/* --- The blocked clock --- */

void profd_blocked_begin(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? get_thread() : NULL;
    if (thread != NULL && thread->blocked_depth++ == 0)
        thread->blocked_since_ticks = clock_ticks();
}

void profd_blocked_end(void)
{
    struct stopwatch_thread *thread = own_thread();
    if (thread == NULL || thread->blocked_depth == 0 || --thread->blocked_depth > 0)
        return;
    thread->blocked_ns +=
        cpu_meter_duration_ns(&thread->meter, clock_ticks() - thread->blocked_since_ticks);
    thread->blocked_since_ticks = 0;
}

/* --- Life --- */

void stopwatch_leave_thread(void)
{
    struct stopwatch_thread *thread = own_thread();
    if (thread == NULL)
        return;
    thread->is_busy = true; /* for good */
    struct moment now = now_of(thread);
    cancel_above(thread, 0, &now);
    commit(thread, &now);
    group_registry_unref(thread->top);
    thread_current->stopwatch = NULL;
    unforked_pages_free(thread, sizeof(*thread));
}

void stopwatch_after_fork_child(void)
{
    if (thread_current == NULL)
        return;
    thread_current->stopwatch = NULL; /* unforked pages */
    thread_current->asks_for_groups = false;
}
