#include "child-agent/census_message.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "buffer/census_ring.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_line.h"
#include "child-agent/guest/brief_descriptor.h"
#include "child-agent/guest/descriptor.h"
#include "common/pidfd.h"
#include "ipc/messages.h"
#include "ipc/socket.h"

enum { MESSAGE_BYTES = 512 }; /* more than one of the longest path takes */

static struct agent_address profd_address;

/* The child of vfork, which has our memory, that set a filter last. */
static _Atomic pid_t confined_child;

void census_message_note_confined(pid_t child)
{
    atomic_store(&confined_child, child);
}

void census_message_follow(const struct agent_address *address)
{
    profd_address = *address;
}

static int send_message(int socket, const struct census_entry *entry, int process_fd)
{
    uint8_t bytes[MESSAGE_BYTES];
    const struct message_program program = {
        .protocol_version = protocol_version_with(agent_lease_protocol_minor()),
        .time_ns = entry->time_ns,
        .cpu_ns = entry->cpu_ns,
        .obstacle = entry->obstacle,
        .has_failed = entry->kind == CENSUS_FAILED,
        .path = { entry->path, strlen(entry->path) },
        .is_about_child = process_fd >= 0,
    };
    long count = message_put_program(bytes, sizeof(bytes), MESSAGE_PROGRAM, &program);
    return count < 0 ? (int)count : socket_send_whole(socket, bytes, (size_t)count, process_fd);
}

/* Out of the way of the program's descriptors. */
static int open_process(pid_t pid)
{
    int fd = pidfd_of_process(pid);
    if (fd < 0)
        return fd;
    int high = descriptor_move_high(fd);
    if (high < 0)
        close(fd);
    return high;
}

static int tell_of_child(int socket, const struct census_entry *entry)
{
    int process_fd = open_process(entry->pid);
    if (process_fd < 0)
        return process_fd;
    struct brief_descriptor noted = brief_descriptor_note(process_fd);
    int error = send_message(socket, entry, process_fd);
    brief_descriptor_close(&noted);
    return error;
}

int census_message_tell(const struct census_entry *entry)
{
    const bool is_own = entry->pid == getpid();
    if (is_own && atomic_load(&confined_child) == entry->pid)
        return -EPERM;
    if (agent_lease_protocol_minor() < PROTOCOL_MINOR_OF_PROGRAMS)
        return -EOPNOTSUPP;
    int socket = agent_line_reach_profd(&profd_address);
    if (socket < 0)
        return socket;
    struct brief_descriptor noted = brief_descriptor_note(socket);
    int error = is_own ? send_message(socket, entry, -1) : tell_of_child(socket, entry);
    brief_descriptor_close(&noted);
    return error;
}
