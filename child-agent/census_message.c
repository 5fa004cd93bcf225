#include "child-agent/census_message.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/census_ring.h"
#include "child-agent/agent_lease.h"
#include "child-agent/agent_line.h"
#include "common/system_id.h"
#include "ipc/messages.h"
#include "ipc/socket.h"

enum { MESSAGE_BYTES = 512 }; /* more than one of the longest path takes */

static struct agent_address profd_address;

void census_message_follow(const struct agent_address *address)
{
    profd_address = *address;
}

static int send_message(int socket, const struct census_entry *entry, int process_fd)
{
    uint8_t bytes[MESSAGE_BYTES];
    const struct message_program program = {
        .protocol_version = protocol_version_with(agent_lease_protocol_minor()),
        .pid = entry->pid,
        .pid_namespace = pid_namespace(),
        .time_ns = entry->time_ns,
        .cpu_ns = entry->cpu_ns,
        .obstacle = entry->obstacle,
        .has_failed = entry->kind == CENSUS_FAILED,
        .is_awaited = entry->is_awaited != 0,
        .path = { entry->path, strlen(entry->path) },
    };
    long count = message_put_program(bytes, sizeof(bytes), MESSAGE_PROGRAM, &program);
    if (count < 0)
        return (int)count;
    ssize_t sent = socket_send(socket, bytes, (size_t)count, &process_fd, process_fd >= 0 ? 1 : 0);
    if (sent < 0)
        return (int)sent;
    return sent == count ? 0 : -EIO;
}

static int tell_about(const struct census_entry *entry, int process_fd)
{
    int socket = agent_address_connect(&profd_address);
    int by_line = socket < 0 ? agent_line_connect() : -ENOTCONN;
    if (by_line >= 0)
        socket = by_line;
    if (socket < 0)
        return socket;
    int error = send_message(socket, entry, process_fd);
    close(socket);
    return error;
}

int census_message_tell(const struct census_entry *entry)
{
    if (agent_lease_protocol_minor() < PROTOCOL_MINOR_OF_PROGRAMS)
        return -EOPNOTSUPP;
    if (entry->pid == getpid())
        return tell_about(entry, -1);
    int process_fd = (int)syscall(SYS_pidfd_open, entry->pid, 0);
    if (process_fd < 0)
        return -errno;
    int error = tell_about(entry, process_fd);
    close(process_fd);
    return error;
}
