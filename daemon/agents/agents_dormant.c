/* Processes that have recorded nothing yet: they are known from the census ring alone. */
#include <string.h>

#include "daemon/agents/agents_inside.h"
#include "daemon/children/pidfd.h"
#include "daemon/children/process_title.h"

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

    if (child == NULL || child->agent == CHILD_IS_ALONE)
        return;
    child->agents = agents;
    child->is_fork = who->is_fork;
    child->obstacle = who->obstacle;
    child_set_agent(child, CHILD_IS_ALONE);
    if (child->dormancy == CHILD_AWAKE)
        child_set_dormancy(child, CHILD_DORMANT);
    take_arguments(child, parent);
    if (child->watch != NULL) /* that of the program before; others are looked for */
        process_title_learn_first_argument(child);
    else if (child->search == CHILD_SEARCH_NONE)
        child_set_search(agents->children, child, CHILD_SEARCH_DUE);
    const struct child *latest = child_table_find_latest(agents->children, child->pid);
    if (latest != child)
        agents_end(agents, child, VERDICT_EXECED, 0, latest->start_ns);
}

void agents_note_woken(struct agents *agents, pid_t pid, uint64_t start_ns)
{
    struct child *child = child_table_find_dormant(agents->children, pid, start_ns);

    if (child != NULL && child->dormancy == CHILD_DORMANT)
        child_set_dormancy(child, CHILD_WOKEN);
}

/* Watches CHILD, which may have ended long ago. If its process is gone, its parent may report the
 * end a moment later: only at the second look it is an end that nobody saw. */
static void look_for_dormant(struct agents *agents, struct child *child)
{
    bool needs_watch = child->state != CHILD_ENDED && child->watch == NULL;
    int pidfd = needs_watch ? pidfd_of_process(child->pid) : -1;

    if (needs_watch && pidfd < 0 && child->search == CHILD_SEARCH_DUE) {
        child_set_search(agents->children, child, CHILD_SEARCH_FAILED_ONCE);
        return;
    }
    child_set_search(agents->children, child, CHILD_SEARCH_NONE);
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

    for (size_t left = agents->children->sought; child != NULL && left > 0; child = previous) {
        previous = child->previous;
        if (child->search == CHILD_SEARCH_NONE)
            continue;
        left--;
        look_for_dormant(agents, child);
    }
}
