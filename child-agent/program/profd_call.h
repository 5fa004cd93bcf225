/* Requests from the program to profd, like those of profctl, for which it waits.
 *
 * They run on an agent thread with a descriptor table of its own, so no signal disturbs them and
 * the program's descriptors keep their numbers. One call at a time (program_call.h). */
#ifndef PROFD_AGENT_PROFD_CALL_H
#define PROFD_AGENT_PROFD_CALL_H

#include <stdint.h>

#include "child-agent/agent_address.h"

enum {
    PROFD_CALL_REQUEST_BYTES = 16 * 1024,
    PROFD_CALL_FOR_EVER = -1, /* until profd replies or is gone */
};

/* Sets where profd listens for this process. Called before any request. */
void profd_call_follow(const struct agent_address *address);

/* Sends the COUNT bytes of REQUEST (as returned by a message_put_client_X function), with FD
 * (borrowed; -1: none), and waits for the reply for at most PATIENCE_MS. Returns what profd
 * replied; -ENOTCONN if there is no profd or it hung up, -EAGAIN if it is busy or no thread can be
 * created, or -EACCES if a stranger listens there. */
int profd_call(const uint8_t *request, long count, int fd, int patience_ms);

#endif
