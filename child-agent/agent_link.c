#include "child-agent/agent_link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child-agent/agent_lease.h"
#include "child-agent/agent_line.h"
#include "child-agent/core.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/process_arena.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/session.h"
#include "common/apart.h"
#include "ipc/frame.h"
#include "ipc/messages.h"
#include "ipc/socket.h"

enum {
    HELLO_MAX_BYTES = 16 * 1024,
    LINK_SEND_WAIT_S = 1,
};

static struct {
    int fd;          /* -1: closed */
    int received_fd; /* -1: none */
    bool gave_arena;
    bool has_only_arena; /* profd has its descriptor, and nobody else */
    struct frame_reader reader;
} link_state = { .fd = -1, .received_fd = -1 };

bool agent_link_is_open(void)
{
    return link_state.fd >= 0;
}

bool agent_link_gave_arena(void)
{
    return link_state.gave_arena;
}

int agent_link_take_descriptor(void)
{
    int fd = link_state.received_fd;
    link_state.received_fd = -1;
    return fd;
}

/* Why there is no arena, as profd is told. */
static enum recording_obstacle obstacle_of(int error)
{
    switch (error) {
    case 0:
        return OBSTACLE_NONE;
    case -ENOSPC:
        return OBSTACLE_NO_LEASE;
    case -EMFILE:
    case -ENFILE:
        return OBSTACLE_NO_DESCRIPTOR;
    case -ENOMEM:
        return OBSTACLE_NO_MEMORY;
    case -EFBIG:
        return OBSTACLE_FILE_LIMIT;
    case -EACCES: /* of the ledger, which comes with the welcome then */
        return OBSTACLE_OTHER_USER;
    default:
        return OBSTACLE_OTHER;
    }
}

static int say_hello(enum recording_obstacle obstacle, bool is_alone)
{
    static LARGE_APART uint8_t message[HELLO_MAX_BYTES];
    struct message_string command_line;
    command_line.bytes = core_command_line(&command_line.length);
    const struct message_hello hello = {
        .protocol_version = protocol_version_with(agent_lease_protocol_minor()),
        .pid = getpid(),
        .parent_pid = getppid(),
        .start_ns = core.start_ns,
        .generation = session_generation(),
        .is_fork = core.origin == CORE_BY_FORK,
        .lease_owner = agent_lease_owner(),
        .obstacle = obstacle,
        .is_alone = is_alone,
        .gave_arena = link_state.has_only_arena,
        .executable = { core_executable(), strlen(core_executable()) },
        .command_line = command_line,
    };
    long count = message_put_hello(message, sizeof(message), MESSAGE_HELLO, &hello);
    link_state.gave_arena = obstacle == OBSTACLE_NONE;
    if (obstacle != OBSTACLE_NONE || link_state.has_only_arena)
        return agent_link_send(message, count, -1);
    if (!descriptor_is_ours(DESCRIPTOR_ARENA))
        return -EBADF;
    return agent_link_send(message, count, core.arena.fd);
}

/* One of another user than ours comes with the welcome, as one that may not be opened does. */
static int find_ledger(const struct agent_address *address)
{
    int error = agent_lease_find(address->path);
    return error == -EPERM ? -EACCES : error;
}

static int open_link(const struct agent_address *address, bool is_alone)
{
    int fd = agent_line_reach_profd(address);
    if (fd < 0)
        return fd;
    link_state.fd = fd;
    descriptor_remember(DESCRIPTOR_SOCKET, fd);
    frame_reader_init(&link_state.reader);
    int error = find_ledger(address);
    if (error == 0)
        error = process_arena_make();
    /* An arena that nothing is recorded into is none. */
    if (error == 0 && !session_is_active())
        error = session_start_error();
    error = say_hello(obstacle_of(error), is_alone);
    if (error < 0)
        agent_link_close();
    return error;
}

int agent_link_open(const struct agent_address *address)
{
    return open_link(address, false);
}

int agent_link_introduce(const struct agent_address *address)
{
    int error = open_link(address, true);
    if (error < 0)
        return error;
    agent_link_abandon(); /* closed without a shutdown: the hello is still to be read */
    if (!link_state.gave_arena)
        return 0; /* it was told why there is none */
    descriptor_close(DESCRIPTOR_ARENA);
    core.arena.fd = -1;
    link_state.has_only_arena = true;
    return 0;
}

bool agent_link_gave_only_arena(void)
{
    return link_state.has_only_arena;
}

void agent_link_take_arena_back(void)
{
    link_state.has_only_arena = false;
}

void agent_link_after_fork_child(void)
{
    link_state.has_only_arena = false;
    agent_link_abandon();
}

void agent_link_abandon(void)
{
    if (link_state.fd < 0)
        return;
    descriptor_close(DESCRIPTOR_SOCKET);
    link_state.received_fd = -1; /* in a child its number is somebody else's */
    frame_reader_destroy(&link_state.reader);
    link_state.fd = -1;
}

static void drop_received(void)
{
    if (link_state.received_fd >= 0)
        close(link_state.received_fd);
    link_state.received_fd = -1;
}

void agent_link_close(void)
{
    drop_received();
    /* The program's table of descriptors may hold a copy: profd is to see the end all the same. */
    if (descriptor_is_ours(DESCRIPTOR_SOCKET))
        (void)shutdown(link_state.fd, SHUT_RDWR);
    agent_link_abandon();
}

int agent_link_wait(uint64_t due_ns)
{
    struct pollfd poll_fd = { .fd = link_state.fd, .events = POLLIN };
    if (!descriptor_is_ours(DESCRIPTOR_SOCKET))
        return -EBADF;
    int got = look_alarm_wait(&poll_fd, 1, due_ns);
    return got > 0 && (poll_fd.revents & POLLNVAL) ? -EBADF : got;
}

/* Nothing else is done meanwhile, not even for signals. */
static int wait_for_room(void)
{
    static const struct timespec longest = { .tv_sec = LINK_SEND_WAIT_S };
    struct pollfd poll_fd = { .fd = link_state.fd, .events = POLLOUT };
    sigset_t all;
    sigfillset(&all);
    if (!descriptor_is_ours(DESCRIPTOR_SOCKET))
        return -EBADF;
    int got = ppoll(&poll_fd, 1, &longest, &all);
    if (got <= 0)
        return got < 0 ? -errno : -ETIMEDOUT;
    return poll_fd.revents & POLLNVAL ? -EBADF : 0;
}

/* Keeps the first of FDS: profd never sends more than one with a message. */
static void receive_descriptors(const int *fds, size_t count)
{
    if (count > 0)
        drop_received();
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            link_state.received_fd = fds[i];
        else
            close(fds[i]);
    }
}

int agent_link_fill(void)
{
    uint8_t *room;
    size_t room_bytes, fd_count = 0;
    int fds[SOCKET_MAX_DESCRIPTORS];
    if (!descriptor_is_ours(DESCRIPTOR_SOCKET))
        return -EBADF;
    int error = frame_reader_room(&link_state.reader, &room, &room_bytes);
    if (error < 0)
        return error;
    ssize_t got = socket_receive(link_state.fd, room, room_bytes, fds, &fd_count);
    receive_descriptors(fds, fd_count);
    if (got == -EAGAIN)
        return 0;
    if (got <= 0)
        return got == 0 ? -EPIPE : (int)got;
    frame_reader_filled(&link_state.reader, (size_t)got);
    return 0;
}

int agent_link_next(int *kind, const uint8_t **payload, size_t *bytes)
{
    int got = frame_reader_next(&link_state.reader, payload, bytes);
    if (got <= 0)
        return got;
    *kind = message_peek_kind(*payload, *bytes);
    return *kind < 0 ? *kind : 1;
}

int agent_link_send(const uint8_t *message, long count, int fd)
{
    size_t sent = 0;
    if (count < 0)
        return (int)count;
    while (sent < (size_t)count) {
        if (!descriptor_is_ours(DESCRIPTOR_SOCKET))
            return -EBADF;
        ssize_t got = socket_send(link_state.fd, message + sent, (size_t)count - sent, &fd,
                                  fd >= 0 && sent == 0 ? 1 : 0);
        if (got > 0) {
            sent += (size_t)got;
        } else if (got == -EAGAIN) {
            int error = wait_for_room();
            if (error < 0)
                return error;
        } else {
            return got < 0 ? (int)got : -EPIPE;
        }
    }
    return 0;
}
