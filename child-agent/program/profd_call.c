#include "child-agent/program/profd_call.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/guest/own_thread.h"
#include "common/time_units.h"
#include "ipc/frame.h"
#include "ipc/messages.h"
#include "ipc/socket.h"

enum { CONNECT_PATIENCE_MS = 5000, HELLO_BYTES = 64 };

static struct agent_address profd_address;

/* One at a time. */
static struct {
    const uint8_t *request;
    size_t bytes;
    int fd;
    uint64_t deadline_ns; /* 0: none */
    struct frame_reader reader;
    int result;
} call;

void profd_call_follow(const struct agent_address *address)
{
    profd_address = *address;
}

/* Until EVENTS, or the deadline: -EAGAIN. */
static int wait_for_events(int socket, short events)
{
    struct pollfd ready = { .fd = socket, .events = events };
    int timeout_ms = -1;
    if (call.deadline_ns != 0) {
        uint64_t now_ns = clock_monotonic_ns();
        if (now_ns >= call.deadline_ns)
            return -EAGAIN;
        timeout_ms = (int)((call.deadline_ns - now_ns) / NS_PER_MS) + 1;
    }
    return poll(&ready, 1, timeout_ms) < 0 && errno != EINTR ? -errno : 0;
}

static int send_all(int socket, const uint8_t *bytes, size_t count, int fd)
{
    size_t sent = 0;
    while (sent < count) {
        ssize_t got = socket_send(socket, bytes + sent, count - sent, &fd, fd >= 0 && sent == 0);
        if (got > 0)
            sent += (size_t)got;
        int error = got == -EAGAIN ? wait_for_events(socket, POLLOUT) : got < 0 ? -ENOTCONN : 0;
        if (error < 0)
            return error;
    }
    return 0;
}

static int say_hello(int socket)
{
    const struct message_client_hello hello = { .protocol_version = PROTOCOL_VERSION,
                                                .is_program = 1 };
    uint8_t frame[HELLO_BYTES];
    long count = message_put_client_hello(frame, sizeof(frame), MESSAGE_CLIENT_HELLO, &hello);
    return count < 0 ? (int)count : send_all(socket, frame, (size_t)count, -1);
}

static int receive_some(int socket)
{
    int fds[SOCKET_MAX_DESCRIPTORS];
    uint8_t *room;
    size_t room_bytes, fd_count;
    int error = frame_reader_room(&call.reader, &room, &room_bytes);
    if (error < 0)
        return error;
    ssize_t got = socket_receive(socket, room, room_bytes, fds, &fd_count);
    if (got == -EAGAIN)
        return wait_for_events(socket, POLLIN);
    if (got <= 0)
        return -ENOTCONN;
    frame_reader_filled(&call.reader, (size_t)got);
    return 0;
}

/* The reply among what has come: 1 with its error in *RESULT, 0: none yet. */
static int find_reply(int *result)
{
    const uint8_t *payload;
    size_t bytes;
    int got;
    while ((got = frame_reader_next(&call.reader, &payload, &bytes)) > 0) {
        struct message_reply reply;
        if (message_peek_kind(payload, bytes) != MESSAGE_REPLY)
            continue; /* progress */
        int error = message_get_reply(payload, bytes, &reply);
        *result = (int)reply.error;
        return error < 0 ? error : 1;
    }
    return got;
}

static int await_reply(int socket)
{
    int result = 0, found = 0, error = 0;
    frame_reader_init(&call.reader);
    while (error == 0 && (found = find_reply(&result)) == 0)
        error = receive_some(socket);
    frame_reader_destroy(&call.reader);
    return error < 0 ? error : found < 0 ? found : result;
}

static int connect_to_profd(void)
{
    int socket = socket_connect_patiently(profd_address.path, CONNECT_PATIENCE_MS);
    if (socket < 0)
        return socket == -EAGAIN ? -EAGAIN : -ENOTCONN;
    if (!profd_address.is_default || socket_peer_is_trusted(socket))
        return socket;
    close(socket);
    return -EACCES;
}

static int ask_profd(void)
{
    int socket = connect_to_profd();
    if (socket < 0)
        return socket;
    int error = say_hello(socket);
    if (error == 0)
        error = send_all(socket, call.request, call.bytes, call.fd);
    if (error == 0)
        error = await_reply(socket);
    close(socket);
    return error;
}

static void *call_main(void *unused)
{
    own_thread_set_name("profd-call");
    if (call.fd >= 0)
        (void)own_thread_leave_descriptors_but(call.fd);
    else
        (void)own_thread_leave_descriptors(false); /* where that is refused, one is borrowed */
    call.result = ask_profd();
    return unused;
}

int profd_call(const uint8_t *request, long count, int fd, int patience_ms)
{
    pthread_t thread;
    if (count < 0)
        return (int)count;
    if (profd_address.path[0] == '\0')
        return -ENOTCONN;
    call.request = request;
    call.bytes = (size_t)count;
    call.fd = fd;
    call.deadline_ns = patience_ms < 0 ? 0 : clock_monotonic_in_ms((uint64_t)patience_ms);
    int error = own_thread_create(&thread, call_main, NULL);
    if (error < 0)
        return error;
    (void)pthread_join(thread, NULL); /* fails only for a thread that is not ours */
    return call.result;
}
