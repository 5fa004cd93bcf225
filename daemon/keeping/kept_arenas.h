/* The arenas that a keeper has, with what is known of their processes.
 *
 * Bookkeeping only; descriptors are owned by the list. One thread. */
#ifndef PROFD_DAEMON_KEPT_ARENAS_H
#define PROFD_DAEMON_KEPT_ARENAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/keeping/keeper_message.h"

struct kept_arena {
    uint64_t id;
    int32_t pid;
    uint32_t uid;
    int fd;
    uint32_t hello_bytes;
    uint8_t *hello;
    struct kept_arena *next;
};

struct kept_arenas {
    struct kept_arena *first;
    size_t count;
};

/* Keeps what MESSAGE, a KEEP, tells, with FD, which is taken over on every path. One of the same id
 * is replaced. 0 or -ENOMEM. */
int kept_arenas_add(struct kept_arenas *arenas, const struct keeper_message *message, int fd);

/* Nothing when there is none. */
void kept_arenas_drop(struct kept_arenas *arenas, uint64_t id);

void kept_arenas_clear(struct kept_arenas *arenas);

/* Whether a process that recorded into one of them is still there. Makes system calls. */
bool kept_arenas_have_living(const struct kept_arenas *arenas);

/* Sends all of them and ALL. They stay here, too: the profd that takes them may be killed as well.
 * Errors as keeper_message_send(). */
int kept_arenas_send(const struct kept_arenas *arenas, int socket_fd);

#endif
