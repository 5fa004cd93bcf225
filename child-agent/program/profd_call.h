/* What a program asks of profd as profctl does, and waits for.
 *
 * On a thread of the agent's own, with descriptors of its own: no signal disturbs it, and the
 * program's descriptors keep their numbers. One call at a time (program_call.h). */
#ifndef PROFD_AGENT_PROFD_CALL_H
#define PROFD_AGENT_PROFD_CALL_H

#include <stdint.h>

#include "child-agent/agent_address.h"

enum {
    PROFD_CALL_REQUEST_BYTES = 16 * 1024,
    PROFD_CALL_FOR_EVER = -1, /* until profd answers, or is no more */
};

/* Where profd listens for this process; before any call. */
void profd_call_follow(const struct agent_address *address);

/* Sends the COUNT bytes of REQUEST (as message_put_client_X returned them) with FD (borrowed; -1:
 * none) and waits for the reply, PATIENCE_MS at most. What profd replied; -ENOTCONN: there is no
 * profd, or it hung up; -EAGAIN: it is busy, or no thread can be made; -EACCES: a stranger listens
 * there. */
int profd_call(const uint8_t *request, long count, int fd, int patience_ms);

#endif
