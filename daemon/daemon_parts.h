/* How profd's parts are put together: what each may look at, and which events of wiring.h it
 * raises. */
#ifndef PROFD_DAEMON_DAEMON_PARTS_H
#define PROFD_DAEMON_DAEMON_PARTS_H

struct daemon;

/* Starts all parts in the order of their dependencies, but does not listen yet. Returns 0, or a
 * negative errno, which has been logged. */
int daemon_begin_parts(struct daemon *profd);

#endif
