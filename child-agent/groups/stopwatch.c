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
    unsigned use_count;
    uint16_t uses[PROFD_UNIT_MOST_GROUPS + 1]; /* that it acquired */
};

struct stopwatch_thread {
    struct cpu_meter meter;
    enum stopwatch_loop loop;
    struct loop_sight sight;
    uint32_t monitoring;    /* that it takes part in; see groups.h; 0: none */
    struct clock_pair wall; /* not long ago */
    struct profd_group *top;
    uint64_t iteration; /* from 1 */
    bool is_in_iteration;
    struct moment begun;  /* the iteration, … */
    uint64_t begun_ns;    /* … on CLOCK_MONOTONIC */
    uint64_t idle_ns;     /* of a loop that turns, when it began */
    struct moment billed; /* up to where the top group's totals go */
    uint64_t attributed_ns, attributed_since_ns;
    uint64_t blocked_ticks, blocked_since_ticks; /* 0: it is not blocked now */
    unsigned blocked_depth;
    uint16_t used[GROUP_USES];
    unsigned used_count;
    bool has_holes; /* uses of this iteration need not be where a search comes by */
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
    uint64_t blocked_ticks = thread->blocked_ticks;
    if (thread->blocked_since_ticks != 0)
        blocked_ticks += ticks - thread->blocked_since_ticks;
    return (struct moment){
        .ticks = ticks,
        .cpu_ns = cpu_ns,
        .blocked_ns = cpu_meter_duration_ns(&thread->meter, blocked_ticks),
    };
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

/* Nobody sees RECORD's group run any more that began at SINCE_NS. Another thread that begins at
 * this very moment is not seen: to make sure would take longer than all the rest. */
static void show_rest(struct group_record *record, uint64_t since_ns)
{
    if (record != NULL && since_ns != 0 &&
        atomic_load_explicit(&record->running_since_ns, memory_order_relaxed) == since_ns)
        atomic_store_explicit(&record->running_since_ns, 0, memory_order_relaxed);
}

/* Without a reading of any clock: what is under way counts for nobody. */
static void drop_all(struct stopwatch_thread *thread)
{
    for (unsigned i = 0; i < thread->used_count; i++) {
        const struct group_use *use = &thread->uses[thread->used[i]];
        if (use->is_acquired)
            show_rest(use->record, use->since_ns);
    }
    show_rest(group_registry_record(thread->top), thread->begun_ns);
    thread->depth = 0;
    thread->used_count = 0;
    thread->iteration++;
    thread->is_in_iteration = false;
    thread->attributed_ns = 0;
    thread->monitoring = 0;
}

/* What was used before somebody asked is nobody's. */
static void begin_monitoring(struct stopwatch_thread *thread)
{
    uint64_t never = 0;
    drop_all(thread);
    thread->monitoring = groups_monitoring();
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
    thread->meter.first_pair = core.arena.header->first_pair;
    thread_current->stopwatch = thread;
    return thread;
}

/* Behind a filter reading a clock may be forbidden, and may kill. */
static bool may_read_clocks(void)
{
    return !atomic_load_explicit(&core.has_filter, memory_order_relaxed);
}

/* Until give_thread(): a signal handler finds the thread taken. NULL: it is, or is not measured. */
static struct stopwatch_thread *take_thread(void)
{
    if (thread_current == NULL || thread_current->is_in_groups || !may_read_clocks())
        return NULL;
    thread_current->is_in_groups = true;
    struct stopwatch_thread *thread = thread_current->stopwatch;
    if (__builtin_expect(thread == NULL, 0))
        thread = make_thread();
    if (thread == NULL)
        thread_current->is_in_groups = false;
    else if (thread->monitoring != groups_monitoring())
        begin_monitoring(thread);
    return thread;
}

static void give_thread(void)
{
    thread_current->is_in_groups = false;
}

/* The same for one that has measured something; what that is worth is another question. */
static struct stopwatch_thread *take_old_thread(void)
{
    struct stopwatch_thread *thread = own_thread();
    if (thread == NULL || thread_current->is_in_groups)
        return NULL;
    thread_current->is_in_groups = true;
    return thread;
}

/* Whether what THREAD measures now is what somebody asked for. */
static bool is_current(const struct stopwatch_thread *thread)
{
    return groups_are_wanted() && thread->monitoring == groups_monitoring() && may_read_clocks();
}

/* --- What groups cost in an iteration --- */

/* Those that stayed when the others had to make room. */
static struct group_use *find_stranded(struct stopwatch_thread *thread,
                                       const struct profd_group *group)
{
    for (unsigned i = 0; i < thread->used_count; i++) {
        struct group_use *use = &thread->uses[thread->used[i]];
        if (use->group == group)
            return use;
    }
    return NULL;
}

static void commit_use(const struct group_use *use)
{
    if (use->record != NULL && use->has_run)
        group_record_commit(use->record, &use->costs);
}

/* So many groups in one iteration that it counts as two for some: those that are not acquired are
 * committed. */
static void make_room(struct stopwatch_thread *thread)
{
    unsigned kept = 0;
    thread->iteration++;
    for (unsigned i = 0; i < thread->used_count; i++) {
        struct group_use *use = &thread->uses[thread->used[i]];
        if (use->is_acquired) {
            use->iteration = thread->iteration;
            thread->used[kept++] = thread->used[i];
        } else {
            commit_use(use);
        }
    }
    thread->used_count = kept;
    thread->has_holes = kept > 0;
}

static struct group_use *find_use(struct stopwatch_thread *thread, struct profd_group *group)
{
    if (thread->used_count >= GROUP_USES_FULL)
        make_room(thread);
    struct group_use *stranded = thread->has_holes ? find_stranded(thread, group) : NULL;
    if (stranded != NULL)
        return stranded;
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
        return NULL; /* all of them are acquired */
    *use = (struct group_use){ .iteration = thread->iteration,
                               .group = group,
                               .record = group_registry_record(group) };
    thread->used[thread->used_count++] = (uint16_t)(use - thread->uses);
    return use;
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
    use->since_ns = now_ns;
    if (use->record != NULL)
        atomic_store_explicit(&use->record->running_since_ns, now_ns, memory_order_relaxed);
    measure->uses[measure->use_count++] = (uint16_t)(use - thread->uses);
}

static void release(struct group_use *use)
{
    use->is_acquired = false;
    show_rest(use->record, use->since_ns);
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
    show_rest(record, thread->begun_ns);
}

static void commit_uses(struct stopwatch_thread *thread)
{
    for (unsigned i = 0; i < thread->used_count; i++)
        commit_use(&thread->uses[thread->used[i]]);
    thread->used_count = 0;
    thread->has_holes = false;
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
    thread->begun_ns = monotonic_ns(thread, now);
    if (record != NULL)
        atomic_store_explicit(&record->running_since_ns, thread->begun_ns, memory_order_relaxed);
}

/* --- Units --- */

/* Whether anything of the unit is measured. */
static bool begin_measure(struct stopwatch_thread *thread, const struct profd_stopwatch *watch,
                          const struct profd_unit_groups_ *groups, const struct moment *now)
{
    struct measure *measure = &thread->measures[thread->depth];
    uint64_t now_ns = monotonic_ns(thread, now);
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
    if (thread->depth == MEASURES || !begin_measure(thread, watch, groups, &now))
        return;
    if (thread->loop == STOPWATCH_NO_LOOP && !thread->is_in_iteration)
        begin_iteration(thread, &now);
    watch->thread_ = thread;
    watch->number_ = thread->last_number;
    watch->depth_ = thread->depth - 1;
}

void profd_unit_enter_slow_(struct profd_stopwatch *watch, struct profd_unit *unit)
{
    const struct profd_unit_groups_ *groups = unit_groups_get(unit);
    struct stopwatch_thread *thread = groups != NULL ? take_thread() : NULL;
    if (thread == NULL)
        return;
    enter(thread, (uintptr_t)__builtin_frame_address(0), watch, groups);
    give_thread();
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
    return watch->thread_ == thread && watch->depth_ < thread->depth &&
           thread->measures[watch->depth_].number == watch->number_;
}

void profd_unit_leave_slow_(struct profd_stopwatch *watch)
{
    struct stopwatch_thread *thread = take_old_thread();
    if (thread == NULL)
        return;
    if (!is_current(thread))
        drop_all(thread);
    else if (is_under_way(thread, watch))
        leave(thread, watch->depth_);
    give_thread();
    watch->thread_ = NULL;
}

/* --- Iterations --- */

struct loop_sight *stopwatch_take_sight(void)
{
    struct stopwatch_thread *thread = take_thread();
    if (thread == NULL)
        return NULL;
    struct loop_sight *sight = thread->depth == 0 ? &thread->sight : NULL;
    give_thread();
    return sight;
}

bool stopwatch_note_loop(enum stopwatch_loop kind)
{
    struct stopwatch_thread *thread = take_thread();
    if (thread == NULL)
        return false;
    if (kind > thread->loop)
        thread->loop = kind;
    bool is_best = thread->loop == kind;
    give_thread();
    return is_best;
}

void stopwatch_begin_iteration(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? take_thread() : NULL;
    if (thread == NULL)
        return;
    struct moment now = now_after_wait(thread);
    begin_iteration(thread, &now);
    give_thread();
}

void stopwatch_end_iteration(void)
{
    struct stopwatch_thread *thread = take_thread();
    if (thread == NULL)
        return;
    struct moment now = now_of(thread);
    cancel_above(thread, 0, &now);
    commit(thread, &now);
    give_thread();
}

void stopwatch_rest(void)
{
    struct stopwatch_thread *thread = take_old_thread();
    if (thread == NULL)
        return;
    if (thread->monitoring != 0 && !is_current(thread))
        drop_all(thread);
    give_thread();
}

void profd_iteration_end(void)
{
    if (!groups_are_wanted()) {
        stopwatch_rest();
        return;
    }
    if (!stopwatch_note_loop(STOPWATCH_TOLD_LOOP))
        return;
    stopwatch_end_iteration();
    stopwatch_begin_iteration();
}

void profd_nested_loop_begin(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? take_thread() : NULL;
    if (thread == NULL)
        return;
    struct moment now = now_of(thread);
    cancel_above(thread, 0, &now);
    give_thread();
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
    const struct stopwatch_thread *thread = own_thread();
    if (thread == NULL || thread->loop != STOPWATCH_TOLD_LOOP || !thread->is_in_iteration)
        return;
    if (groups_are_wanted())
        stopwatch_end_iteration();
    else
        stopwatch_rest();
}

/* The wait is somewhere within the turn, so it is taken off as if it came first. */
static void take_off_wait(struct stopwatch_thread *thread, uint64_t idle_ns)
{
    uint64_t waited_ticks = cpu_meter_ticks(&thread->meter, idle_ns - thread->idle_ns);
    if (thread->is_in_iteration && waited_ticks < clock_ticks() - thread->begun.ticks)
        thread->begun.ticks += waited_ticks;
    thread->idle_ns = idle_ns;
}

void stopwatch_turn(uint64_t idle_ns)
{
    if (!groups_are_wanted() || !stopwatch_note_loop(STOPWATCH_TURNS))
        return;
    struct stopwatch_thread *thread = take_thread();
    if (thread == NULL)
        return;
    take_off_wait(thread, idle_ns);
    give_thread();
    stopwatch_end_iteration();
    stopwatch_begin_iteration();
}

/* --- The blocked clock --- */

void profd_blocked_begin(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? take_thread() : NULL;
    if (thread == NULL)
        return;
    if (thread->blocked_depth++ == 0)
        thread->blocked_since_ticks = clock_ticks();
    give_thread();
}

void profd_blocked_end(void)
{
    struct stopwatch_thread *thread = take_old_thread();
    if (thread == NULL)
        return;
    if (thread->blocked_depth > 0 && --thread->blocked_depth == 0) {
        thread->blocked_ticks += clock_ticks() - thread->blocked_since_ticks;
        thread->blocked_since_ticks = 0;
    }
    give_thread();
}

/* --- Life --- */

void stopwatch_leave_thread(void)
{
    struct stopwatch_thread *thread = own_thread();
    if (thread == NULL)
        return;
    thread_current->is_in_groups = true; /* for good */
    if (is_current(thread)) {
        struct moment now = now_of(thread);
        cancel_above(thread, 0, &now);
        commit(thread, &now);
    }
    drop_all(thread);
    group_registry_unref(thread->top);
    thread_current->stopwatch = NULL;
    unforked_pages_free(thread, sizeof(*thread));
}

void stopwatch_after_fork_child(void)
{
    if (thread_current == NULL)
        return;
    thread_current->stopwatch = NULL; /* unforked pages */
    thread_current->is_in_groups = false;
    thread_current->asking_frame = 0;
}
