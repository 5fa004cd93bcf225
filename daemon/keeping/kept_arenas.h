/* The arenas that a keeper holds, with what is known of their processes.
 *
 * Bookkeeping only; the list owns the descriptors. One thread. */
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

/* Adds the arena of MESSAGE, a KEEP, with FD, which is taken over on every path. Replaces one with
 * the same id. Returns 0 or -ENOMEM. */
int kept_arenas_add(struct kept_arenas *arenas, const struct keeper_message *message, int fd);

/* Drops the arena ID; does nothing if there is none. */
void kept_arenas_drop(struct kept_arenas *arenas, uint64_t id);

void kept_arenas_clear(struct kept_arenas *arenas);

/* Whether a process that recorded into one of them is still alive. Makes system calls. */
bool kept_arenas_have_living(const struct kept_arenas *arenas);

/* Sends a KEPT for each, and ALL. They also stay here, since the profd that gets them may be killed
 * as well. Returns errors of keeper_message_send(). */
int kept_arenas_send(const struct kept_arenas *arenas, int socket_fd);

#endif
