/* What passes between profd and profd-keeper: one packet a message, on a socket of packets.
 *
 *     profd → keeper    KEEP (an arena's descriptor comes along), DROP, OVER, LEAVE
 *     keeper → profd    KEPT for each that it has (with its descriptor), then ALL
 *
 * The second kind goes to a profd that connects to the keeper, in place of one that is gone.
 * Both are profd's and trust each other; what is no message is -EPROTO all the same. A keeper
 * outlives upgrades of profd: kinds are appended. Plain system calls; none blocks for longer than
 * KEEPER_PATIENCE_MS. */
#ifndef PROFD_DAEMON_KEEPER_MESSAGE_H
#define PROFD_DAEMON_KEEPER_MESSAGE_H

#include <stdint.h>
#include <sys/types.h>

enum { KEEPER_HELLO_BYTES = 16 * 1024, KEEPER_PATIENCE_MS = 1000 };

enum keeper_kind {
    KEEPER_KEEP = 1,
    KEEPER_DROP = 2,
    KEEPER_OVER = 3, /* profd ended in good order: nobody will ask */
    KEEPER_KEPT = 4,
    KEEPER_ALL = 5,
    KEEPER_LEAVE = 6, /* profd ends, and another one may come until the time that stands as id */
};

struct keeper_message {
    uint32_t kind;
    int32_t pid;  /* of the process, as the kernel told it */
    uint32_t uid; /* of the process, too */
    uint32_t hello_bytes;
    uint64_t id;                       /* of the arena: its lease's owner; of LEAVE a time, ns */
    uint8_t hello[KEEPER_HELLO_BYTES]; /* as it came; of DROP, OVER, ALL and LEAVE nothing */
};

/* Sends MESSAGE, with FD if that is not -1 (borrowed). 0; -EMSGSIZE when the hello is too long,
 * -ETIMEDOUT, -EPIPE … */
int keeper_message_send(int socket_fd, const struct keeper_message *message, int fd);

/* The next message: 1 with it and its descriptor in *FD, the caller's (-1: none); 0 when there is
 * none now; -EPIPE at the end, -EPROTO for what is no message. */
int keeper_message_receive(int socket_fd, struct keeper_message *message, int *fd);

/* Waits for one for KEEPER_PATIENCE_MS at most; then -ETIMEDOUT. */
int keeper_message_await(int socket_fd, struct keeper_message *message, int *fd);

#endif
