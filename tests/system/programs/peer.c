/* peer SOCKET BEHAVIOUR: somebody at the other end who does not behave. Speaks the protocol by
 * hand, so that it can be wrong. The status is 0 when profd answered or hung up as it should. */
#include <errno.h>
#include <msgpack.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ipc/messages.h"

enum { PATIENCE_MS = 20000, DEAF_REQUESTS = 200000 };

static int connect_to(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    return fd;
}

static int send_all(int fd, const void *bytes, size_t count)
{
    return send(fd, bytes, count, MSG_NOSIGNAL) == (ssize_t)count ? 0 : -EPIPE;
}

static int send_frame(int fd, const msgpack_sbuffer *payload)
{
    uint32_t length = (uint32_t)payload->size;
    int error = send_all(fd, &length, sizeof(length));
    return error < 0 ? error : send_all(fd, payload->data, payload->size);
}

/* 0 once profd has hung up, whatever it said before. */
static int expect_hang_up(int fd)
{
    char answer[4096];
    struct pollfd polled = { fd, POLLIN, 0 };
    while (poll(&polled, 1, PATIENCE_MS) == 1) {
        if (read(fd, answer, sizeof(answer)) <= 0)
            return 0;
    }
    fprintf(stderr, "peer: profd did not hang up\n");
    return 1;
}

static int send_garbage(int fd)
{
    char bytes[4096];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 31 + 7);
    return send_all(fd, bytes, sizeof(bytes)) < 0 ? 0 : expect_hang_up(fd);
}

static int huge_frame(int fd)
{
    uint32_t length = 0x7fffffff;
    return send_all(fd, &length, sizeof(length)) < 0 ? 1 : expect_hang_up(fd);
}

static void pack_text(msgpack_packer *packer, const char *text)
{
    msgpack_pack_str(packer, strlen(text));
    msgpack_pack_str_body(packer, text, strlen(text));
}

static int old_client(int fd)
{
    msgpack_sbuffer payload;
    msgpack_packer packer;
    msgpack_sbuffer_init(&payload);
    msgpack_packer_init(&packer, &payload, msgpack_sbuffer_write);
    msgpack_pack_array(&packer, 2);
    msgpack_pack_uint64(&packer, MESSAGE_CLIENT_HELLO);
    msgpack_pack_uint64(&packer, PROTOCOL_VERSION + 41);
    int error = send_frame(fd, &payload);
    msgpack_sbuffer_destroy(&payload);
    return error < 0 ? 1 : expect_hang_up(fd);
}

static int old_agent(int fd)
{
    msgpack_sbuffer payload;
    msgpack_packer packer;
    msgpack_sbuffer_init(&payload);
    msgpack_packer_init(&packer, &payload, msgpack_sbuffer_write);
    msgpack_pack_array(&packer, 9);
    msgpack_pack_uint64(&packer, MESSAGE_HELLO);
    msgpack_pack_uint64(&packer, PROTOCOL_VERSION + 41);
    msgpack_pack_int64(&packer, getpid());
    msgpack_pack_int64(&packer, getppid());
    for (int i = 0; i < 3; i++)
        msgpack_pack_uint64(&packer, 0);
    pack_text(&packer, "/bin/old");
    pack_text(&packer, "old");
    int error = send_frame(fd, &payload);
    msgpack_sbuffer_destroy(&payload);
    return error < 0 ? 1 : expect_hang_up(fd);
}

/* Asks and asks and never reads, until profd hangs up or its buffers are full. */
static int ask_unread(int fd)
{
    msgpack_sbuffer payload;
    msgpack_packer packer;
    msgpack_sbuffer_init(&payload);
    msgpack_packer_init(&packer, &payload, msgpack_sbuffer_write);
    msgpack_pack_array(&packer, 3);
    msgpack_pack_uint64(&packer, MESSAGE_CLIENT_HELLO);
    msgpack_pack_uint64(&packer, PROTOCOL_VERSION);
    msgpack_pack_uint64(&packer, 0);
    int error = send_frame(fd, &payload);
    struct timeval patience = { .tv_sec = 1 };
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    for (uint64_t id = 1; id <= DEAF_REQUESTS && error == 0; id++) {
        msgpack_sbuffer_clear(&payload);
        msgpack_pack_array(&packer, 2);
        msgpack_pack_uint64(&packer, MESSAGE_CLIENT_STATUS);
        msgpack_pack_uint64(&packer, id);
        error = send_frame(fd, &payload);
    }
    msgpack_sbuffer_destroy(&payload);
    return 0;
}

static const struct {
    const char *name;
    int (*behave)(int fd);
} behaviours[] = {
    { "garbage", send_garbage }, { "huge-frame", huge_frame }, { "old-client", old_client },
    { "old-agent", old_agent },  { "deaf", ask_unread },
};

int main(int argc, char **argv)
{
    int fd = argc == 3 ? connect_to(argv[1]) : -EINVAL;
    if (fd < 0) {
        fprintf(stderr, "peer: %s\n", strerror(-fd));
        return 2;
    }
    for (size_t i = 0; i < sizeof(behaviours) / sizeof(behaviours[0]); i++) {
        if (strcmp(argv[2], behaviours[i].name) == 0)
            return behaviours[i].behave(fd);
    }
    return 2;
}
