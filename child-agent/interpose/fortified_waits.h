/* The calls that replace waiting calls under -D_FORTIFY_SOURCE. The C library has them, but its
 * headers declare them only in programs that are built that way. They end the program if FDS_BYTES
 * is too small for COUNT; otherwise they do the same as the plain calls. */
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
