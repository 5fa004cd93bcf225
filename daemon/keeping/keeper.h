/* The keeper: holds the arenas of processes that could not pass them to profd a second time.
 *
 * A process without an agent thread has passed its arena's descriptor to profd. So that nothing is
 * lost when profd is killed, the keeper, a process of its own, has copies of those descriptors. The
 * next profd finds it at a socket beside profd's own, and gets them.
 *
 *     serving ───profd is gone────▶ orphaned ──another profd connects──▶ serving
 *        └─────────OVER──────────────▶ over ◀──nobody came for long─────────┘
 *
 * Plain system calls, one thread. */
#ifndef PROFD_DAEMON_KEEPER_H
#define PROFD_DAEMON_KEEPER_H

#include <stdbool.h>

/* The descriptors of profd-keeper, as it finds them. */
enum { KEEPER_PROFD_FD = 3, KEEPER_LISTENING_FD = 4 };

#define KEEPER_SUFFIX ".keeper" /* of its own socket, beside profd's */

/* Without profd a keeper that has something stays as long as one of the processes lives, and so
 * much longer: time to fetch what the others left. Of a profd that left its session (LEAVE) it
 * learned until when it is to stay, whatever it has. */
enum { KEEPER_PATIENCE_FOR_PROFD_S = 60 };

/* Serves the profd behind PROFD_FD, and those that connect at LISTENING_FD after it, until it is
 * over. Both are taken over. True when it is over since no profd came any more. */
bool keeper_run(int profd_fd, int listening_fd);

#endif
