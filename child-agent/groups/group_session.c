#include "child-agent/groups/group_session.h"

#include <stdio.h>

#include "common/time_units.h"

enum { TEXT_BYTES = 2 * GROUP_TEXT_MAX_BYTES + 2 };

#define JANK_FIELDS(FIELD)                                                                         \
    FIELD(STRING, group, "Group")                                                                  \
    FIELD(DURATION, cpu, "CPU time")                                                               \
    FIELD(DURATION, blocked, "Blocked")
PROFD_MARKER_TYPE(jank, JANK_FIELDS, .is_stack_based = PROFD_TASKS,
                  .chart_label = "{marker.data.group}",
                  .table_label = "{marker.data.group}: {marker.data.cpu} of CPU time");

struct group_counter {
    struct profd_counter counter;
    char name[TEXT_BYTES];
};

static _Atomic uint32_t counters_made;

/* All that are too many. */
static struct group_counter others = {
    { "all other groups", "Performance groups", "CPU time of performance groups, in µs", 0 }, ""
};

static void write_text(const struct profd_group *group, char out[TEXT_BYTES])
{
    snprintf(out, TEXT_BYTES, "%.*s%s%.*s", group->kind_bytes, group->text,
             group->kind_bytes > 0 ? " " : "", group->name_bytes, group->text + group->kind_bytes);
}

/* NULL: there is no memory. */
static struct group_counter *make_counter(const struct profd_group *group)
{
    struct group_counter *made = group_registry_allocate(sizeof(*made));
    if (made == NULL)
        return NULL;
    write_text(group, made->name);
    made->counter = (struct profd_counter){ made->name, "Performance groups",
                                            "CPU time of a performance group, in µs", 0 };
    return made;
}

/* The counter of a group that has none yet: a new one, or the common one of groups beyond the
 * limit. */
static struct group_counter *choose_counter(struct profd_group *group)
{
    struct group_counter *none = NULL;
    bool is_own = atomic_load(&counters_made) < GROUP_SESSION_MOST_COUNTERS;
    struct group_counter *chosen = is_own ? make_counter(group) : &others;
    if (chosen == NULL)
        chosen = &others;
    if (!atomic_compare_exchange_strong(&group->counter, &none, chosen))
        return none; /* another thread was faster */
    if (chosen != &others)
        atomic_fetch_add(&counters_made, 1);
    return chosen;
}

static void add_to_counter(struct profd_group *group, const struct group_costs *costs)
{
    struct group_counter *counter = atomic_load_explicit(&group->counter, memory_order_acquire);
    if (counter == NULL)
        counter = choose_counter(group);
    profd_counter_add(&counter->counter, (int64_t)(costs->cpu_ns / NS_PER_US));
}

static void mark_jank(const struct profd_group *group, const struct group_costs *costs,
                      uint64_t begun_ticks)
{
    char text[TEXT_BYTES];
    write_text(group, text);
    PROFD_MARKER_TYPED(jank, "Jank", PROFD_CATEGORY_OTHER, profd_since(begun_ticks), text,
                       (int64_t)costs->cpu_ns, (int64_t)costs->blocked_ns);
}

void group_session_note_slowly(struct profd_group *group, const struct group_costs *costs,
                               uint64_t begun_ticks)
{
    bool is_thread = (group->flags & GROUP_IS_TOP) != 0; /* whose CPU time its samples tell */
    if (!is_thread && (profd_recording & PROFD_RECORDING_COUNTERS))
        add_to_counter(group, costs);
    if (costs->cpu_ns > GROUP_SESSION_JANK_NS || costs->wall_ns > GROUP_SESSION_JANK_NS)
        mark_jank(group, costs, begun_ticks);
}
