/* How profd's parts are put together: what each looks at, and whose events it raises (wiring.h). */
#ifndef PROFD_DAEMON_DAEMON_PARTS_H
#define PROFD_DAEMON_DAEMON_PARTS_H

struct daemon;

/* Begins all parts, in the order in which they need each other, but listens to nobody yet. 0, or a
 * negative errno, which was logged. */
int daemon_begin_parts(struct daemon *profd);

#endif
