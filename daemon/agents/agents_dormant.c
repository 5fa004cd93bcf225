/* Those that have nothing to tell so far: they are known from the census ring alone. */
#include <string.h>

#include "daemon/agents/agents_inside.h"
#include "daemon/children/pidfd.h"
#include "daemon/children/process_title.h"
#include "daemon/session.h"

/* A fork has its parent's arguments. */
static void take_arguments(struct child *child, const struct child *parent)
{
    if (child->is_fork && child->arguments == NULL && parent != NULL && parent->arguments != NULL)
        child_set_arguments(child, parent->arguments, parent->arguments_bytes);
}

void agents_add_dormant(struct agents *agents, const struct child_introduction *who)
{
    struct child *child = agents_meet(agents, who);
    const struct child *parent = child_table_find_latest(agents->children, who->parent_pid);

    if (child == NULL || child->is_alone)
        return;
    child->agents = agents;
    child->is_fork = who->is_fork;
    child->is_alone = true;
    child->is_dormant = true;
    take_arguments(child, parent);
    child->is_unwatched = child->watch == NULL;
    agents->unwatched += child->is_unwatched;
    if (!child->is_unwatched) /* the watch is that of the program before; others are looked for */
        process_title_learn_first_argument(child);
    child->started_generation = agents->session->generation;
    const struct child *latest = child_table_find_latest(agents->children, child->pid);
    if (latest != child)
        agents_end(agents, child, VERDICT_EXECED, 0, latest->start_ns);
}

void agents_note_woken(struct agents *agents, pid_t pid, uint64_t start_ns)
{
    struct child *child = child_table_find_dormant(agents->children, pid, start_ns);

    if (child != NULL)
        child->has_woken = true;
}

/* CHILD, which may have ended long ago, is watched from here on, or it is gone. Who waited for it
 * tells of that a moment later, so the end is taken for one that nobody saw the second time only.
 */
static void look_for_dormant(struct agents *agents, struct child *child)
{
    bool needs_watch = child->state != CHILD_ENDED && child->watch == NULL;
    int pidfd = needs_watch ? pidfd_of_process(child->pid) : -1;

    if (needs_watch && pidfd < 0 && !child->is_missing) {
        child->is_missing = true;
        return;
    }
    child->is_unwatched = false;
    agents->unwatched--;
    if (pidfd >= 0) {
        child->identity = pidfd_identity(pidfd);
        agents_watch(agents, child, pidfd);
        process_title_learn_first_argument(child);
    } else if (needs_watch) {
        agents_end(agents, child, VERDICT_VANISHED, 0, uv_hrtime());
    }
}

void agents_watch_dormant(struct agents *agents)
{
    struct child *previous, *child = agents->children->last;

    for (size_t left = agents->unwatched; child != NULL && left > 0; child = previous) {
        previous = child->previous;
        left -= child->is_unwatched;
        if (child->is_unwatched)
            look_for_dormant(agents, child);
    }
}
