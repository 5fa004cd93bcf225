/* profd's side of the keeper (daemon/keeping/keeper.h).
 *
 * The loss of a keeper matters only if profd is killed as well; when profd notices it, it starts
 * another keeper for the arenas that come from then on. Loop thread. */
#ifndef PROFD_DAEMON_KEEPER_LINK_H
#define PROFD_DAEMON_KEEPER_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/keeping/keeper_message.h"

struct keeper_link {
    const char *program;     /* borrowed, like the next */
    const char *socket_path; /* profd's; the keeper's is beside it */
    int fd;                  /* -1: no keeper */
    bool has_kept;           /* from a previous profd; its arenas are not fetched yet */
};

/* Connects to the keeper of a previous profd, if IS_SUCCESSOR, else starts one with PROGRAM.
 * Returns 0, or a negative errno: then there is none, and the link is closed. */
int keeper_link_open(struct keeper_link *link, const char *program, const char *socket_path,
                     bool is_successor);

/* Whether there is a keeper. */
bool keeper_link_is_open(const struct keeper_link *link);

/* Fetches what the keeper holds, once, after keeper_link_open() of a successor: calls VISIT for
 * each arena; the callee owns FD. Returns 0, or a negative errno: then some may be missing. */
int keeper_link_fetch(struct keeper_link *link,
                      void (*visit)(const struct keeper_message *message, int fd, void *context),
                      void *context);

/* Keeps the arena ARENA_FD (borrowed) of process PID of user UID, which said HELLO. Returns 0 or a
 * negative errno. */
int keeper_link_keep(struct keeper_link *link, uint64_t id, pid_t pid, uid_t uid,
                     const uint8_t *hello, size_t hello_bytes, int arena_fd);

/* Drops the arena ID; does nothing if it is not kept. */
void keeper_link_drop(struct keeper_link *link, uint64_t id);

/* profd ends normally: nobody will ask for what was kept. Safe to repeat, and on a zeroed link. */
void keeper_link_close(struct keeper_link *link);

/* Closes the link, but the keeper stays for a profd that is started before UNTIL_NS on
 * CLOCK_MONOTONIC. */
void keeper_link_leave(struct keeper_link *link, uint64_t until_ns);

#endif
