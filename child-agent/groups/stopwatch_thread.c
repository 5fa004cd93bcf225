#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/unforked_pages.h"
#include "child-agent/groups/stopwatch_inside.h"
#include "child-agent/upcalls.h"
#include "common/time_units.h"

enum { THREAD_NAME_MOST_BYTES = 16, WALL_HOLDS_NS = NS_PER_S };

static struct profd_group *get_top(void)
{
    char name[THREAD_NAME_MOST_BYTES + 1] = "";
    (void)syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0); /* else it has none */
    const struct group_identity identity = {
        .kind = "thread", .name = name, .flags = GROUP_IS_TOP, .thread = thread_current->id.number
    };
    return group_registry_ref(&identity, true);
}

uint64_t stopwatch_monotonic_ns(struct stopwatch_thread *thread, const struct moment *now)
{
    uint64_t since_ns = cpu_meter_duration_ns(&thread->meter, now->ticks - thread->wall.ticks);
    if (since_ns > WALL_HOLDS_NS || thread->meter.rate == 0) {
        thread->wall = clock_read_pair();
        return thread->wall.monotonic_ns;
    }
    return thread->wall.monotonic_ns + since_ns;
}

void stopwatch_drop_all(struct stopwatch_thread *thread)
{
    for (unsigned i = 0; i < thread->used_count; i++) {
        const struct group_use *use = &thread->uses[thread->used[i]];
        if (use->is_acquired)
            stopwatch_show_rest(use->record, use->since_ns);
    }
    stopwatch_show_rest(group_registry_record(thread->top), thread->begun_ns);
    thread->blocked_depth = 0;
    thread->blocked_since_ticks = 0;
    thread->waiting_frame = 0;
    thread->first_wait_frame = 0;
    thread->may_wait_first = false;
    thread->depth = 0;
    thread->used_count = 0;
    thread->has_holes = false;
    thread->iteration++;
    thread->is_in_iteration = false;
    thread->attributed_ns = 0;
    thread->monitoring = 0;
}

/* What was used before somebody asked is nobody's. */
void stopwatch_begin_monitoring(struct stopwatch_thread *thread)
{
    uint64_t never = 0;
    stopwatch_drop_all(thread);
    thread->monitoring = groups_monitoring();
    thread->reads_cpu = (atomic_load(&groups_needs) & GROUP_NEED_CPU) != 0;
    thread->billed = thread->begun = stopwatch_now(thread);
    thread->wall = clock_read_pair();
    (void)atomic_compare_exchange_strong(&core.arena.header->groups.since_ns, &never,
                                         thread->wall.monotonic_ns);
}

/* In a forked child there is none, though somebody inside may ask for groups. */
static bool make_arena_once(void)
{
    static _Atomic uint32_t tried_epoch;
    if (groups_needs_from_inside() == 0 || atomic_exchange(&tried_epoch, core_epoch) == core_epoch)
        return false;
    return groups_prepare() == 0;
}

struct stopwatch_thread *stopwatch_make(void)
{
    if (thread_current == NULL || core_is_forking || !core_local.is_followed)
        return NULL;
    upcall_end_dormancy();
    if (!core_local.has_arena && !make_arena_once())
        return NULL;
    struct stopwatch_thread *thread = unforked_pages_allocate(sizeof(*thread));
    if (thread == NULL)
        return NULL;
    thread->top = get_top();
    thread->meter.first_pair = core.arena.header->first_pair;
    thread_current->stopwatch = thread;
    return thread;
}

void stopwatch_leave_thread(void)
{
    struct stopwatch_thread *thread = stopwatch_own();
    if (thread == NULL)
        return;
    thread_current->is_in_groups = true; /* for good */
    if (stopwatch_is_current(thread)) {
        stopwatch_note_awake(thread, STOPWATCH_FRAME);
        struct moment now = stopwatch_now(thread);
        stopwatch_cancel_above(thread, 0, &now);
        stopwatch_commit(thread, &now);
    }
    stopwatch_drop_all(thread);
    group_registry_unref(thread->top);
    struct pending_alerts alerts = thread->alerts;
    thread_current->stopwatch = NULL;
    unforked_pages_free(thread, sizeof(*thread));
    while (group_observers_call_next(&alerts))
        continue;
}

void stopwatch_after_fork_child(void)
{
    if (thread_current == NULL)
        return;
    thread_current->stopwatch = NULL; /* unforked pages */
    thread_current->is_in_groups = false;
    thread_current->asking_frame = 0;
}
