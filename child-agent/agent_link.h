/* The agent's connection: frames to and from profd, on a descriptor that may stop being ours.
 *
 * Agent thread only (and the constructor before there is one). */
#ifndef PROFD_AGENT_AGENT_LINK_H
#define PROFD_AGENT_AGENT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/agent_address.h"

/* Enough for a message without a list or a profile. */
enum { AGENT_SMALL_MESSAGE_BYTES = 256 };

/* Connects to profd, by the line if its socket cannot be seen, and says hello, with the arena's
 * descriptor; makes the arena if there is none, or says why it cannot. Does not wait. 0, -EACCES
 * when a stranger listens there, -EAGAIN when profd is busy, -ECONNREFUSED or -ENOENT when there is
 * no profd, …
 */
int agent_link_open(const struct agent_address *address);

/* The same for a process in which nobody will listen (IS_ALONE in the hello): the connection is
 * closed again, and the arena's descriptor with it, which profd has then. */
int agent_link_introduce(const struct agent_address *address);

/* Whether profd has the only descriptor of the arena. */
bool agent_link_gave_only_arena(void);

/* The arena has another file than the one that profd has, or had. */
void agent_link_take_arena_back(void);

bool agent_link_is_open(void);
void agent_link_close(void);

/* Lets go of the connection, which goes on if somebody else has it. */
void agent_link_abandon(void);

/* In a forked child, whose parent's connection and arena are not its own. */
void agent_link_after_fork_child(void);

/* Waits until there is something to read, or until TIMEOUT_MS (-1: for ever), or until the sampling
 * signal. 1 when there is, 0 at the timeout and the signal, negative when the connection is gone.
 */
int agent_link_wait(int timeout_ms);

/* Reads what has come. -EPIPE at the end of the stream, or another negative errno. */
int agent_link_fill(void);

/* The next whole message: 1 with its kind and payload (valid until the next fill), 0 when there is
 * none, -EPROTO for garbage. */
int agent_link_next(int *kind, const uint8_t **payload, size_t *bytes);

/* The descriptor that came last, now the caller's; -1: none. */
int agent_link_take_descriptor(void);

/* True when profd was given the arena with the hello. */
bool agent_link_gave_arena(void);

/* Sends an encoded message (COUNT as a message_put_X returned it), with a descriptor if FD is not
 * -1 (borrowed). Waits for room at most a second, which only this thread notices. */
int agent_link_send(const uint8_t *message, long count, int fd);

#endif
