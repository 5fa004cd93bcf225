/* Making a capture: every process of the session, live and dead, into one output.
 *
 * The decisions are those of daemon/capture/gather.h; here they are carried out. One capture at a
 * time, as the request queue's current request. Loop thread. */
#ifndef PROFD_DAEMON_CAPTURE_H
#define PROFD_DAEMON_CAPTURE_H

#include <stdint.h>

#include "ipc/messages.h"

struct child;
struct daemon;
struct request;

/* Begins REQUEST, the current one; ends with requests_finish(), at once or later. */
void capture_begin(struct daemon *profd, struct request *request);

/* Ends the capture that is being made, if any, with ERROR and TEXT for its client. */
void capture_cancel(struct daemon *profd, int error, const char *text);

/* What children do meanwhile; nothing happens when none is being made or CHILD is not in it. */
void capture_note_progress(struct daemon *profd, struct child *child, uint64_t gather_id,
                           uint64_t proportion);
/* FD (NULL: none came) is taken over when the profile is used: -1 is then in its place. */
void capture_note_profile(struct daemon *profd, struct child *child,
                          const struct message_profile *message, int *fd);
/* The agent is gone, the process lives. */
void capture_note_silent(struct daemon *profd, struct child *child);
/* The process has ended; if its arena is being copied, capture_note_stored() follows. */
void capture_note_ended(struct daemon *profd, struct child *child);
void capture_note_stored(struct daemon *profd, struct child *child);
/* A salvage worker has ended, perhaps one of an earlier capture that was cancelled: there is room.
 */
void capture_note_worker_free(struct daemon *profd);

#endif
