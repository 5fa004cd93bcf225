/* The keeper: holds the arenas of processes that cannot pass them to profd a second time.
 *
 * A process without an agent thread passes its arena's descriptor to profd once. So that nothing is
 * lost if profd is killed, the keeper, a process of its own, has copies of those descriptors. The
 * next profd finds it at a socket beside profd's own, and gets them. A sealed ledger
 * (ipc/ledger_file.h) has no other place, either: the keeper says in the ledger's file that it has
 * it.
 *
 *     serving ───profd is gone────▶ orphaned ──another profd connects──▶ serving
 *        └─────────OVER──────────────▶ over ◀──nobody came for long─────────┘
 *
 * Plain system calls, one thread. */
#ifndef PROFD_DAEMON_KEEPER_H
#define PROFD_DAEMON_KEEPER_H

#include <stdbool.h>

/* The descriptors that profd-keeper starts with; the last one only for a sealed ledger. */
enum { KEEPER_PROFD_FD = 3, KEEPER_LISTENING_FD = 4, KEEPER_LEDGER_FD = 5 };

#define KEEPER_SUFFIX ".keeper" /* of its socket, beside profd's */

/* Without profd, a keeper that holds arenas, or the ledger, stays while any of their processes is
 * alive, and this much longer, so that the others' recordings can be fetched. A profd that leaves
 * its session (LEAVE) tells it how long to stay, whatever it holds. */
enum { KEEPER_PATIENCE_FOR_PROFD_S = 60 };

/* Serves the profd at PROFD_FD, and later those that connect to LISTENING_FD, until it is over.
 * Takes these two; LEDGER_FD is borrowed (-1: the ledger is in a file). Returns true if it is over
 * because no other profd came. */
bool keeper_run(int profd_fd, int listening_fd, int ledger_fd);

#endif
