/* Those whose arenas profd-keeper has. */
#include <unistd.h>

#include "daemon/agents/agents_inside.h"
#include "daemon/children/pidfd.h"
#include "daemon/children/process_list.h"
#include "daemon/keeping/keeper_link.h"
#include "daemon/limit/memory.h"
#include "daemon/log.h"
#include "daemon/memory/compact_arena.h"
#include "daemon/memory/lease_census.h"

/* Without it the arena is kept as long as this keeper lives. */
static void remember_greeting(struct child *child, uid_t uid, const uint8_t *hello, size_t bytes)
{
    if (child_set_greeting(child, uid, hello, bytes) < 0)
        log_warn_of_many(child->pid,
                         "out of memory: should profd-keeper end and profd be killed, "
                         "the recording of %d is lost",
                         child->pid);
}

static void pass_arena(struct agents *agents, struct child *child, const uint8_t *hello,
                       size_t bytes)
{
    bool is_shared = keeper_link_keep(agents->keeper, child->lease_owner, child->pid,
                                      child->greeting.uid, hello, bytes, child->arena_fd) == 0;

    if (is_shared != (child->kept == CHILD_KEPT_TWICE))
        child_set_kept(agents->children, child, is_shared ? CHILD_KEPT_TWICE : CHILD_KEPT_ARENA);
}

void agents_keep(struct agents *agents, struct child *child, uid_t uid, const uint8_t *hello,
                 size_t bytes)
{
    if (!keeper_link_is_open(agents->keeper))
        return; /* there will be none either */
    remember_greeting(child, uid, hello, bytes);
    pass_arena(agents, child, hello, bytes);
}

void agents_keep_again(struct agents *agents)
{
    for (struct child *child = agents->children->first; child != NULL; child = child->next) {
        const struct child_greeting *greeting = &child->greeting;
        bool is_kept_here = child->kept == CHILD_KEPT_ARENA || child->kept == CHILD_KEPT_TWICE;

        if (is_kept_here && greeting->bytes != NULL)
            pass_arena(agents, child, greeting->bytes, greeting->count);
    }
}

/* Of the process that said hello then; -1 when it has ended, also if its pid is another's by now.
 */
static int pidfd_of_greeter(const struct message_hello *hello, pid_t pid)
{
    struct process_sighting sighting;
    int pidfd = pidfd_of_process(pid);

    if (pidfd >= 0 && (!process_sight(pid, &sighting) || sighting.start_ns > hello->start_ns)) {
        close(pidfd);
        return -1;
    }
    return pidfd;
}

/* As after a hello of a process that is alone. ARENA_FD and PIDFD are the child's. */
static void readmit_process(struct agents *agents, const struct message_hello *hello,
                            const struct keeper_message *message, int arena_fd, int pidfd)
{
    const struct child_introduction who = agents_introduce(hello, message->pid, pidfd);
    struct child *child = agents_meet(agents, &who);

    if (child == NULL) {
        log_warn_of(message->pid, "out of memory: cannot resume the recording of %d", message->pid);
        close(arena_fd);
        if (pidfd >= 0)
            close(pidfd);
        return;
    }
    child->agents = agents;
    child_set_agent(child, CHILD_IS_ALONE);
    child->is_fork = hello->is_fork != 0;
    agents_watch(agents, child, pidfd);
    agents_take_arena(child, hello, arena_fd);
    if (child->kept == CHILD_KEPT_ARENA) /* not if the same image had two arenas kept */
        child_set_kept(agents->children, child, CHILD_KEPT_TWICE);
    remember_greeting(child, message->uid, message->hello, message->hello_bytes);
    if (pidfd < 0)
        agents_end(agents, child, VERDICT_VANISHED, 0, uv_hrtime());
    else
        agents->events->on_loan_request(child, agents->context);
}

static void on_kept_arena(const struct keeper_message *message, int fd, void *context)
{
    struct agents *agents = context;
    struct message_hello hello;
    struct compact_plan plan;
    int error = message_get_hello(message->hello, message->hello_bytes, &hello);

    if (error == 0)
        error = compact_plan_read(fd, &plan);
    if (error == 0) {
        readmit_process(agents, &hello, message, fd, pidfd_of_greeter(&hello, message->pid));
        return;
    }
    log_warn_of(message->pid, "cannot resume the recording of %d: %s", message->pid,
                uv_strerror(error));
    close(fd);
}

/* Whether somebody lives who has a lease, and whose arena did not come: it may have been given to a
 * keeper that is no more. */
static bool is_arena_missing(struct agents *agents)
{
    struct lease_census census;
    bool is_missing = false;

    if (lease_census_take(&agents->memory->ledger, &census) < 0)
        return true;
    for (size_t i = 0; i < census.count; i++)
        is_missing |= child_table_find_owner(agents->children, census.holders[i].owner) == NULL &&
                      !lease_census_has_ended(&census, i);
    lease_census_free(&census);
    return is_missing;
}

void agents_readmit_kept(struct agents *agents)
{
    int error = keeper_link_fetch(agents->keeper, on_kept_arena, agents);

    if (error < 0 || is_arena_missing(agents))
        atomic_fetch_add(&agents->memory->ledger.header->arena_losses, 1);
    if (error < 0)
        log_warn("profd-keeper did not hand over all arenas (%s); captures count the missing "
                 "processes as unseen",
                 uv_strerror(error));
}
