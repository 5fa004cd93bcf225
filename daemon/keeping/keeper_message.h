/* The messages between profd and profd-keeper: one packet each, on a socket of packets.
 *
 *     profd → keeper    KEEP (an arena's descriptor comes along), DROP, OVER, LEAVE
 *     keeper → profd    KEPT for each that it has (with its descriptor), then ALL
 *
 * The second kind goes to a profd that connects to the keeper in place of one that has ended. Both
 * sides are parts of profd and trust each other, but a packet that is not a message is still
 * -EPROTO. A keeper outlives upgrades of profd, so new kinds are only appended. Plain system calls;
 * none blocks for longer than KEEPER_PATIENCE_MS. */
#ifndef PROFD_DAEMON_KEEPER_MESSAGE_H
#define PROFD_DAEMON_KEEPER_MESSAGE_H

#include <stdint.h>
#include <sys/types.h>

enum { KEEPER_HELLO_BYTES = 16 * 1024, KEEPER_PATIENCE_MS = 1000 };

enum keeper_kind {
    KEEPER_KEEP = 1,
    KEEPER_DROP = 2,
    KEEPER_OVER = 3, /* profd ended normally: nobody will ask */
    KEEPER_KEPT = 4,
    KEEPER_ALL = 5,
    KEEPER_LEAVE = 6, /* profd ends; another one may come until the time in `id` */
};

struct keeper_message {
    uint32_t kind;
    int32_t pid;  /* of the process, as reported by the kernel */
    uint32_t uid; /* likewise */
    uint32_t hello_bytes;
    uint64_t id;                       /* the arena's lease owner; of LEAVE: a time in ns */
    uint8_t hello[KEEPER_HELLO_BYTES]; /* as received; empty for DROP, OVER, ALL, LEAVE */
};

/* Sends MESSAGE, with FD (borrowed; -1: none). Returns 0; -EMSGSIZE if the hello is too long;
 * -ETIMEDOUT, -EPIPE … */
int keeper_message_send(int socket_fd, const struct keeper_message *message, int fd);

/* Receives the next message. Returns 1 with the message and its descriptor in *FD, which the caller
 * owns (-1: none); 0 if there is none now; -EPIPE at the end; -EPROTO if it is not a message. */
int keeper_message_receive(int socket_fd, struct keeper_message *message, int *fd);

/* The same, but waits up to KEEPER_PATIENCE_MS; then -ETIMEDOUT. */
int keeper_message_await(int socket_fd, struct keeper_message *message, int *fd);

#endif
