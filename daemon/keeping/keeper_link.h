/* profd's side of the keeper (daemon/keeping/keeper.h).
 *
 * The link watches its keeper. When that ends, or does not answer, another one is started, and an
 * event tells that it has nothing yet. A keeper that ends at once again is given up:
 *
 *     closed ──open──▶ open ──the keeper ends──▶ open, with another one
 *        ▲               │                          │
 *        └─close, leave──┴──────ends at once────────┘
 *
 * Loop thread. */
#ifndef PROFD_DAEMON_KEEPER_LINK_H
#define PROFD_DAEMON_KEEPER_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "daemon/keeping/keeper_message.h"

struct keeper_events {
    /* There is another keeper, which has nothing; or none, if the link is closed. */
    void (*on_replaced)(void *context);
};

/* What it needs; borrowed. */
struct keeper_views {
    uv_loop_t *loop;
    const char *program;
    const char *socket_path; /* profd's; the keeper's is beside it */
    int ledger_fd;           /* kept as well if it is sealed; -1: none */
};

struct keeper_link {
    struct keeper_views views;
    const struct keeper_events *events;
    void *context;
    int fd;               /* -1: no keeper */
    uv_poll_t *poll;      /* of fd; frees itself; NULL: it is not watched */
    int failure;          /* a negative errno: why it is taken for gone; 0: it is not */
    uint64_t replaced_ns; /* when it was replaced last; 0: never */
    bool has_kept;        /* it was there before us, and has not told what it has */
};

/* Looks for the keeper of a profd that is gone, if IS_SUCCESSOR, else starts one.
 * 0, or a negative errno: there is none, and the link is as one that was closed. */
int keeper_link_open(struct keeper_link *link, const struct keeper_views *views, bool is_successor,
                     const struct keeper_events *events, void *context);

/* Whether there is a keeper. */
bool keeper_link_is_open(const struct keeper_link *link);

/* Fetches what the keeper holds, once, after keeper_link_open() of a successor: calls VISIT for
 * each arena; the callee owns FD. Returns 0, or a negative errno: then some may be missing. */
int keeper_link_fetch(struct keeper_link *link,
                      void (*visit)(const struct keeper_message *message, int fd, void *context),
                      void *context);

/* Keeps the arena ARENA_FD (borrowed) of process PID and user UID, which said HELLO. 0 or a
 * negative errno: unless the link is closed, another keeper is started soon. */
int keeper_link_keep(struct keeper_link *link, uint64_t id, pid_t pid, uid_t uid,
                     const uint8_t *hello, size_t hello_bytes, int arena_fd);

/* Nothing when it is not kept. */
void keeper_link_drop(struct keeper_link *link, uint64_t id);

/* profd ends in good order: nobody will ask for what was kept. Safe to repeat, and on a zeroed
 * link. */
void keeper_link_close(struct keeper_link *link);

/* Closes the link, but the keeper stays for a profd that is started until UNTIL_NS on
 * CLOCK_MONOTONIC. */
void keeper_link_leave(struct keeper_link *link, uint64_t until_ns);

#endif
