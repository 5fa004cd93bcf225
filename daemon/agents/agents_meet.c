/* Whose image it is that was heard of: one that is known, or another. */
#include "daemon/agents/agents_inside.h"
#include "daemon/children/child_watch.h"
#include "daemon/children/process_tree.h"

/* CHILD connects again before its last connection was seen to end; a process that it forked may
 * hold that open. What was asked there will not be answered. */
static void forget_connection(struct agents *agents, struct child *child)
{
    agents_drop_connection(child);
    if (child->state != CHILD_CONNECTED)
        return;
    child_detach(child);
    agents->events->on_silence(child, agents->context);
}

/* Two images of one process in the order of their beginning, though LATER was known first. */
static struct child *add_before(struct agents *agents, struct child *later,
                                const struct child_introduction *who)
{
    struct child *child = agents_add(agents, who);

    if (child != NULL)
        child_table_make_latest(agents->children, later);
    return child;
}

/* The next image of EARLIER's process. If the process was reported to have ended before that image
 * was heard of, the end is the new image's. */
static struct child *add_after_exec(struct agents *agents, struct child *earlier,
                                    const struct child_introduction *who)
{
    struct child *child = agents_add(agents, who);

    if (child != NULL) {
        agents_pass_ending_on(child, earlier);
        agents_continue_process(child, earlier);
    }
    uint64_t exec_ns = agents_settle_exec_call(agents, earlier, child, who);
    if (earlier->state == CHILD_ENDED)
        agents_change_end_to_exec(earlier, exec_ns);
    else {
        if (child != NULL)
            agents_pass_watch_on(child, earlier);
        agents_end(agents, earlier, VERDICT_EXECED, 0, exec_ns);
    }
    return child;
}

/* EARLIER was taken for a silent one, and has said hello after all. */
static struct child *add_instead(struct agents *agents, struct child *earlier,
                                 const struct child_introduction *who)
{
    struct child *child = agents_add(agents, who);

    if (child != NULL) {
        agents_take_ending(child, earlier);
        agents_pass_watch_on(child, earlier);
        child->image = earlier->image;
        agents_forget(agents, earlier);
    }
    return child;
}

/* Whether EARLIER, a silent one, runs a program inside of itself, as valgrind and emulators do. It
 * still exists then, and the hello comes from the agent of the program inside. */
static bool has_program_inside(const struct child *earlier, const struct child_introduction *who)
{
    return earlier->agent == CHILD_IS_SILENT && earlier->state != CHILD_ENDED &&
           child_relate(earlier, who) != CHILD_CAME_BEFORE &&
           process_runs_program(who->pid, earlier->executable);
}

/* The first image of a process. What EARLIER (NULL: none), whose pid it has, had become was not
 * told otherwise by now. */
static struct child *add_first(struct agents *agents, struct child *earlier,
                               const struct child_introduction *who)
{
    if (earlier != NULL)
        agents_settle_silent_exec(earlier);
    struct child *child = agents_add(agents, who);

    (void)agents_settle_exec_call(agents, NULL, child, who);
    return child;
}

struct child *agents_meet(struct agents *agents, const struct child_introduction *who)
{
    struct child *earlier = child_table_find_latest(agents->children, who->pid);
    struct child *dormant = child_table_find_dormant(agents->children, who->pid, who->start_ns);

    if (dormant != NULL)
        return dormant;
    if (earlier == NULL)
        return add_first(agents, earlier, who);
    if (child_is_same_as_silent(earlier, who) || has_program_inside(earlier, who))
        return add_instead(agents, earlier, who);
    switch (child_relate(earlier, who)) {
    case CHILD_IS_SAME_IMAGE:
        forget_connection(agents, earlier);
        child_reconnect(earlier);
        return earlier;
    case CHILD_HAS_ENDED:
        return earlier;
    case CHILD_DID_EXEC:
        return add_after_exec(agents, earlier, who);
    case CHILD_REUSES_PID:
        agents_end(agents, earlier, VERDICT_VANISHED, 0, who->start_ns);
        break;
    case CHILD_CAME_BEFORE:
        return add_before(agents, earlier, who);
    case CHILD_IS_NEW:
        break;
    }
    return add_first(agents, earlier, who);
}
