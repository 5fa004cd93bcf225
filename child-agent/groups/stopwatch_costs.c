#include "child-agent/groups/group_session.h"
#include "child-agent/groups/stopwatch_inside.h"

enum { GROUP_USES_FULL = GROUP_USES * 3 / 4, POINTER_ALIGNMENT = 16 };

/* --- In an iteration --- */

/* Those that stayed when the others had to make room. */
static struct group_use *find_stranded_use(struct stopwatch_thread *thread,
                                           const struct profd_group *group)
{
    for (unsigned i = 0; i < thread->used_count; i++) {
        struct group_use *use = &thread->uses[thread->used[i]];
        if (use->group == group)
            return use;
    }
    return NULL;
}

static void note_peaks(struct profd_group *group, const struct group_costs *costs)
{
    struct group_peaks *peaks = group_registry_peaks(group);
    if (peaks != NULL)
        group_peaks_note(peaks, costs, thread_current->id.number, clock_monotonic_ns());
}

/* GROUP has cost COSTS in the iteration that began at BEGUN_TICKS: who else wants to know. */
static void tell_others(struct stopwatch_thread *thread, struct profd_group *group,
                        const struct group_costs *costs, uint64_t begun_ticks)
{
    if (__builtin_expect(group_peaks_are_reached(costs), 0))
        note_peaks(group, costs);
    group_session_note(group, costs, begun_ticks);
    group_observers_note(group, costs, &thread->alerts);
}

static void commit_use(struct stopwatch_thread *thread, const struct group_use *use)
{
    if (!use->has_run)
        return;
    if (use->record != NULL)
        group_record_commit(use->record, &use->costs);
    tell_others(thread, use->group, &use->costs, thread->begun.ticks);
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
            commit_use(thread, use);
        }
    }
    thread->used_count = kept;
    thread->has_holes = kept > 0;
}

static struct group_use *find_use(struct stopwatch_thread *thread, struct profd_group *group)
{
    if (thread->used_count >= GROUP_USES_FULL)
        make_room(thread);
    struct group_use *stranded = thread->has_holes ? find_stranded_use(thread, group) : NULL;
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

static void acquire_group(struct stopwatch_thread *thread, struct measure *measure,
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

void stopwatch_acquire(struct stopwatch_thread *thread, struct measure *measure,
                       struct profd_group *const *groups, unsigned count, uint64_t now_ns)
{
    for (unsigned i = 0; i < count; i++)
        acquire_group(thread, measure, groups[i], now_ns);
}

void stopwatch_release(struct stopwatch_thread *thread, const struct measure *measure)
{
    for (unsigned i = 0; i < measure->use_count; i++) {
        struct group_use *use = &thread->uses[measure->uses[i]];
        use->is_acquired = false;
        stopwatch_show_rest(use->record, use->since_ns);
    }
}

/* A unit's own group has its own share of the costs alone. */
void stopwatch_charge(struct stopwatch_thread *thread, const struct measure *measure,
                      const struct group_costs *costs)
{
    for (unsigned i = 0; i < measure->use_count; i++) {
        struct group_use *use = &thread->uses[measure->uses[i]];
        bool is_own = (use->group->flags & GROUP_IS_UNIT) != 0;
        use->costs.cpu_ns += is_own ? measure->own_cpu_ns : costs->cpu_ns;
        use->costs.blocked_ns += is_own ? measure->own_blocked_ns : costs->blocked_ns;
        use->costs.wall_ns += costs->wall_ns;
        use->has_run = true;
    }
}

/* --- Committing --- */

/* All of the thread's time is its top group's; an iteration has what lies within it. */
static void commit_top(struct stopwatch_thread *thread, const struct moment *now, bool is_iteration)
{
    struct group_record *record = group_registry_record(thread->top);
    const struct moment *begun = is_iteration ? &thread->begun : now;
    struct group_costs before = stopwatch_between(thread, &thread->billed, begun);
    struct group_costs within = stopwatch_between(thread, begun, now);
    uint64_t cpu_ns = before.cpu_ns + within.cpu_ns;
    uint64_t unattributed_ns = cpu_ns > thread->attributed_ns ? cpu_ns - thread->attributed_ns : 0;
    thread->billed = *now;
    thread->attributed_ns = 0;
    if (record == NULL)
        return;
    before.wall_ns = 0; /* of iterations only */
    before.unattributed_ns = unattributed_ns;
    group_record_add(record, &before);
    if (is_iteration) {
        group_record_commit(record, &within);
        tell_others(thread, thread->top, &within, begun->ticks);
    }
    stopwatch_show_rest(record, thread->begun_ns);
}

static void commit_uses(struct stopwatch_thread *thread)
{
    for (unsigned i = 0; i < thread->used_count; i++)
        commit_use(thread, &thread->uses[thread->used[i]]);
    thread->used_count = 0;
    thread->has_holes = false;
    thread->iteration++;
}

void stopwatch_commit(struct stopwatch_thread *thread, const struct moment *now)
{
    commit_uses(thread);
    commit_top(thread, now, thread->is_in_iteration);
    thread->is_in_iteration = false;
}

void stopwatch_begin(struct stopwatch_thread *thread, const struct moment *now)
{
    thread->is_in_iteration = true;
    thread->may_wait_first = false;
    thread->first_wait_frame = 0;
    thread->begun = *now;
    stopwatch_show_iteration(thread, now);
}

void stopwatch_show_iteration(struct stopwatch_thread *thread, const struct moment *now)
{
    struct group_record *record = group_registry_record(thread->top);
    thread->begun_ns = stopwatch_monotonic_ns(thread, now) -
                       cpu_meter_duration_ns(&thread->meter, now->ticks - thread->begun.ticks);
    if (record != NULL)
        atomic_store_explicit(&record->running_since_ns, thread->begun_ns, memory_order_relaxed);
}
