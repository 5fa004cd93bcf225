/* What -D_FORTIFY_SOURCE makes of calls that wait: the C library has them, and its headers declare
 * them in programs that are built so only. They end the program when FDS_BYTES is not enough for
 * COUNT, and else are the same as those without. */
#ifndef PROFD_AGENT_FORTIFIED_WAITS_H
#define PROFD_AGENT_FORTIFIED_WAITS_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t fds_bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t fds_bytes);

#endif
