/* An agent made by hand, for tests of what profd does: it speaks the protocol and records nothing.
 *
 * Blocking, one in a process. Whatever goes wrong ends the process with 3. */
#ifndef TESTS_FAKE_AGENT_H
#define TESTS_FAKE_AGENT_H

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "ipc/frame.h"
#include "ipc/messages.h"
#include "ipc/socket.h"

struct fake_agent {
    int profd;
    struct arena arena;
    struct frame_reader reader;
    uint8_t frame[MESSAGE_MAX_BYTES]; /* what is sent */
};

enum { FAKE_AGENT_FAILED = 3 };

static inline uint64_t fake_agent_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Sends the frame, of which a message_put_X said that it has BYTES. */
static inline void fake_agent_send(struct fake_agent *agent, long bytes, int fd)
{
    if (bytes < 0 || socket_send(agent->profd, agent->frame, (size_t)bytes, &fd, fd >= 0) != bytes)
        exit(FAKE_AGENT_FAILED);
}

/* Connects, with an arena of CAPACITY_BYTES, and says hello. */
static inline void fake_agent_begin(struct fake_agent *agent, const char *socket,
                                    uint64_t capacity_bytes)
{
    agent->profd = socket_connect(socket, 0);
    if (agent->profd < 0 || arena_create(capacity_bytes, &agent->arena) < 0)
        exit(FAKE_AGENT_FAILED);
    frame_reader_init(&agent->reader);
    const struct message_hello hello = {
        .protocol_version = PROTOCOL_VERSION,
        .pid = getpid(),
        .parent_pid = getppid(),
        .start_ns = fake_agent_now_ns(),
        .executable = { "/bin/fake", 9 },
        .command_line = { "fake", 4 },
    };
    fake_agent_send(agent,
                    message_put_hello(agent->frame, MESSAGE_MAX_BYTES, MESSAGE_HELLO, &hello),
                    agent->arena.fd);
}

/* Says that the session of GENERATION has begun here. */
static inline void fake_agent_started(struct fake_agent *agent, uint64_t generation)
{
    const struct message_generation message = { generation };

    if (generation != 0)
        fake_agent_send(
            agent,
            message_put_generation(agent->frame, MESSAGE_MAX_BYTES, MESSAGE_STARTED, &message), -1);
}

/* Gives what comes within TIMEOUT_MS (-1: whenever) to OBEY. The end of the connection ends the
 * process with 0. */
static inline void fake_agent_serve(struct fake_agent *agent, int timeout_ms,
                                    void (*obey)(struct fake_agent *agent, const uint8_t *payload,
                                                 size_t bytes))
{
    struct pollfd polled = { agent->profd, POLLIN, 0 };
    int fds[SOCKET_MAX_DESCRIPTORS];
    const uint8_t *payload;
    uint8_t *room;
    size_t count, bytes, fd_count;

    if (poll(&polled, 1, timeout_ms) <= 0)
        return;
    if (frame_reader_room(&agent->reader, &room, &count) < 0)
        exit(FAKE_AGENT_FAILED);
    ssize_t got = socket_receive(agent->profd, room, count, fds, &fd_count);
    if (got <= 0)
        exit(0);
    while (fd_count > 0)
        close(fds[--fd_count]);
    frame_reader_filled(&agent->reader, (size_t)got);
    while (frame_reader_next(&agent->reader, &payload, &bytes) == 1)
        obey(agent, payload, bytes);
}

#endif
