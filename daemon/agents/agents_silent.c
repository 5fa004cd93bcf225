/* Those that never said hello, or may still. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer/process_clock.h"
#include "daemon/agents/agents_inside.h"
#include "daemon/children/child_watch.h"
#include "daemon/children/cpu_account.h"
#include "daemon/log.h"
#include "daemon/session.h"

void agents_take_ending(struct child *child, const struct child *other)
{
    child->wait = other->wait;
    cpu_account_take_end(&child->cpu, &other->cpu);
}

void agents_pass_ending_on(struct child *child, struct child *earlier)
{
    agents_take_ending(child, earlier);
    cpu_account_take_end(&earlier->cpu, &CPU_ACCOUNT_NEW);
}

void agents_continue_process(struct child *child, const struct child *earlier)
{
    child->process_start_ns = earlier->process_start_ns;
    child->cpu.before_ns = earlier->cpu.before_ns;
}

void agents_pass_watch_on(struct child *child, struct child *earlier)
{
    if (earlier->watch == NULL)
        return;
    child->watch = earlier->watch;
    child->identity = earlier->identity;
    child_watch_set_owner(child->watch, child);
    earlier->watch = NULL;
}

/* A process that is met for the first time may have used CPU time before the session. */
static void open_account(const struct agents *agents, struct child *child)
{
    if (child->process_start_ns == child->start_ns && session_is_on(agents->session))
        child->cpu.before_ns =
            cpu_account_before(child->start_ns, agents->session->start_ns, child->pid);
}

struct child *agents_add(struct agents *agents, const struct child_introduction *who)
{
    struct child *child = child_table_add(agents->children, who);

    if (child != NULL)
        open_account(agents, child);
    return child;
}

/* Whether the next image of EARLIER's pid, which began at START_NS, is of the same process as far
 * as is known. An end that was noticed after that was its own. */
static bool is_continued(const struct child *earlier, uint64_t start_ns)
{
    return earlier->state != CHILD_ENDED || earlier->verdict == VERDICT_EXECED ||
           earlier->end_ns >= start_ns;
}

/* WHO, which is CHILD unless memory is exhausted, has taken the place of EARLIER. */
static void end_by_exec(struct agents *agents, struct child *earlier, struct child *child,
                        const struct child_introduction *who)
{
    if (child != NULL) {
        agents_continue_process(child, earlier);
        if (child->watch == NULL)
            agents_pass_watch_on(child, earlier);
    }
    agents_end(agents, earlier, VERDICT_EXECED, 0,
               agents_settle_exec_call(agents, earlier, NULL, who));
}

static void begin_silent(struct agents *agents, struct child *child,
                         enum recording_obstacle obstacle)
{
    child->agents = agents;
    child->obstacle = obstacle;
    child->cpu.used_ns = process_clock_ns(child->pid);
    log_debug_of(child->pid, "%d (%s) is not profiled: %s", child->pid, child->executable,
                 recording_obstacle_text(obstacle));
}

struct child *agents_add_silent(struct agents *agents, const struct child_introduction *who,
                                enum recording_obstacle obstacle, int pidfd)
{
    struct child *earlier = child_table_find_latest(agents->children, who->pid);
    bool continues = earlier != NULL && is_continued(earlier, who->start_ns);
    struct child *child = child_table_add_silent(agents->children, who);

    if (child != NULL) {
        begin_silent(agents, child, obstacle);
        agents_watch(agents, child, pidfd);
    } else if (pidfd >= 0) {
        close(pidfd);
    }
    if (continues) {
        end_by_exec(agents, earlier, child, who);
    } else if (child != NULL) {
        (void)agents_settle_exec_call(agents, NULL, child, who);
        open_account(agents, child);
    }
    return child;
}

void agents_end_silent(struct child *child, const struct child_ending *ending)
{
    child->wait = (struct child_wait){ true, ending->wait_status };
    agents_take_cpu_time(child, ending);
    agents_end(child->agents, child, VERDICT_VANISHED, 0, ending->end_ns);
}

void agents_end_unwatched(struct child *child, uint64_t end_ns)
{
    agents_end(child->agents, child, VERDICT_VANISHED, 0, end_ns);
}

void agents_split_ending(struct child *earlier, uint64_t exec_ns, struct child *later)
{
    if (later != NULL) {
        agents_pass_ending_on(later, earlier);
        agents_end(later->agents, later, earlier->verdict, earlier->code, earlier->end_ns);
    }
    agents_change_end_to_exec(earlier, exec_ns);
}

/* The program that CHILD became, of which nothing else is known. */
static struct child *add_unheard(struct child *child)
{
    const char *path = child->exec.path != NULL ? child->exec.path : "";
    const struct child_introduction who = {
        .pid = child->pid,
        .parent_pid = child->parent_pid,
        .start_ns = child->exec.start_ns,
        .executable = path,
        .executable_length = strlen(path),
    };
    enum recording_obstacle obstacle =
        child->exec.obstacle != OBSTACLE_NONE ? child->exec.obstacle : OBSTACLE_SILENT;
    return agents_add_silent(child->agents, &who, obstacle, -1);
}

/* CHILD, which has ended, did so as that program. */
static void split_from_unheard(struct child *child)
{
    agents_split_ending(child, child->exec.start_ns, add_unheard(child));
}

void agents_end_as_replaced(struct child *child)
{
    struct agents *agents = child->agents;

    if (session_is_on(agents->session) && child_told_silent_exec(child)) {
        (void)add_unheard(child); /* which ends CHILD */
        return;
    }
    agents_end(agents, child, VERDICT_EXECED, 0, agents_exec_time(agents, child, uv_hrtime()));
    agents->events->on_replaced(agents->context); /* as a program that may have no agent */
}

static bool is_unsettled(const struct child *child)
{
    return child->state == CHILD_ENDED && child->exec.start_ns != 0 &&
           child->verdict != VERDICT_EXECED &&
           child_table_find_latest(child->agents->children, child->pid) == child;
}

void agents_settle_exec(struct child *child)
{
    if (is_unsettled(child))
        split_from_unheard(child);
}

void agents_settle_silent_exec(struct child *child)
{
    if (is_unsettled(child) && child_told_silent_exec(child))
        split_from_unheard(child);
}

/* EARLIER, which was said to have become LAST, ended as LAST did, or else just now: LAST was added
 * because its process was gone, or told of the file that it ran already. */
static void take_end_back(struct child *earlier, const struct child *last)
{
    if (last->state == CHILD_ENDED) {
        agents_take_ending(earlier, last);
        child_correct_end(earlier, last->verdict, last->code, last->end_ns);
    } else {
        child_correct_end(earlier, VERDICT_VANISHED, 0, uv_hrtime());
    }
    child_cancel_exec(earlier); /* else it would be settled again */
}

void agents_forget_silent(struct child *child)
{
    struct agents *agents = child->agents;
    struct child last = *child;

    child->watch = NULL; /* maybe for EARLIER */
    agents_forget(agents, child);
    struct child *earlier = child_table_find_latest(agents->children, last.pid);
    /* One that ended otherwise was another process of that pid. */
    bool was_earlier = earlier != NULL && earlier->verdict == VERDICT_EXECED;
    if (was_earlier)
        take_end_back(earlier, &last);
    if (was_earlier && earlier->watch == NULL)
        agents_pass_watch_on(earlier, &last);
    else
        child_watch_stop(last.watch);
}
