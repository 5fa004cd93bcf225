#include "daemon/census/census_program.h"

#include <stdio.h>

#include "common/process_stat.h"
#include "daemon/census/census.h"
#include "daemon/census/census_told.h"
#include "daemon/children/pidfd.h"
#include "daemon/children/process_list.h"
#include "daemon/children/process_tree.h"
#include "daemon/session.h"
#include "ipc/messages.h"

/* The pid of a process that has been reaped: it may have been seen before. */
static pid_t pid_of_reaped(struct census *census, uint64_t identity)
{
    pid_t known = census_foreign_find(&census->foreign, identity);

    return known != 0 ? known : CENSUS_LAST_PID + ++census->unnumbered;
}

/* Sets the *PID of the child of SENDER, with IDENTITY, that a message is about. Returns false if it
 * is another's: who sends its descriptor may not tell of it. */
static bool find_child_of(struct census *census, const struct census_sender *sender,
                          uint64_t identity, pid_t *pid)
{
    struct process_sighting sighting;

    *pid = pidfd_number(sender->process_fd);
    bool is_there = *pid != 0 && process_sight(*pid, &sighting);
    /* Of one that is being reaped at this moment /proc tells no parent. */
    bool is_reaped =
        !is_there || (sighting.parent_pid == 0 && process_state_is_ended(sighting.state));
    if (!is_reaped)
        return sighting.parent_pid == sender->pid;
    *pid = pid_of_reaped(census, identity);
    return true;
}

static pid_t parent_of_sender(const struct census_sender *sender)
{
    struct process_sighting sighting;

    return process_sight(sender->pid, &sighting) ? sighting.parent_pid : 0;
}

static struct census_entry entry_of_message(const struct message_program *message,
                                            const struct census_sender *sender, pid_t pid)
{
    char path[MESSAGE_MAX_PATH + 1];
    struct census_entry entry = {
        .kind = message->has_failed ? CENSUS_FAILED : CENSUS_EXEC,
        .pid = pid,
        .parent_pid = sender->is_about_child ? sender->pid : parent_of_sender(sender),
        .time_ns = message->time_ns,
        .cpu_ns = message->cpu_ns,
        .obstacle = (uint32_t)message->obstacle,
    };

    snprintf(path, sizeof(path), "%.*s", (int)message->path.length, message->path.bytes);
    census_ring_set_path(&entry, path);
    return entry;
}

bool census_note_program(struct census *census, const struct message_program *message,
                         const struct census_sender *sender)
{
    (void)census_read(census); /* what was told before */
    const uint64_t identity = sender->process_fd >= 0 ? pidfd_identity(sender->process_fd) : 0;
    struct census_entry end;
    pid_t pid = sender->pid;

    if (sender->is_about_child && sender->process_fd < 0) {
        /* Its descriptor has not arrived, as when we have none left. */
        census->lost += session_is_on(census->session);
        return true;
    }
    if (sender->is_about_child && !find_child_of(census, sender, identity, &pid))
        return false;
    struct census_entry entry = entry_of_message(message, sender, pid);
    const struct census_foreign_process process = { identity, pid, entry.parent_pid };
    census_foreign_learn(&census->foreign, &process, pid <= CENSUS_LAST_PID);
    census_take_entry(census, &entry);
    if (census_foreign_take_end(&census->foreign, identity, &end))
        census_take_entry(census, &end);
    return true;
}
