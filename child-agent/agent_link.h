/* The agent's connection: frames to and from profd, on a descriptor that the program may close or
 * reuse at any time.
 *
 * Agent thread only, and the constructor before that thread exists. */
#ifndef PROFD_AGENT_AGENT_LINK_H
#define PROFD_AGENT_AGENT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/agent_address.h"

/* Enough for a message without a list or a profile. */
enum { AGENT_SMALL_MESSAGE_BYTES = 256 };

/* Connects to profd, over the line if its socket cannot be seen, and says hello with the arena's
 * descriptor. If there is no arena, makes it, or tells profd why it cannot. Does not wait. Returns
 * 0; -EACCES if a stranger listens there, -EAGAIN if profd is busy, -ECONNREFUSED or -ENOENT if
 * there is no profd, or another negative errno. */
int agent_link_open(const struct agent_address *address);

/* Like agent_link_open(), for a process in which nobody will listen (IS_ALONE in the hello). The
 * connection is closed again, and so is the arena's descriptor, which profd then has. */
int agent_link_introduce(const struct agent_address *address);

/* Returns whether profd has the only descriptor of the arena. */
bool agent_link_gave_only_arena(void);

/* Notes that the arena has a new file, which profd does not have. */
void agent_link_take_arena_back(void);

bool agent_link_is_open(void);
void agent_link_close(void);

/* Closes the agent's descriptor of the connection. The connection continues if somebody else has
 * it. */
void agent_link_abandon(void);

/* Forgets the parent's connection and arena in a forked child. */
void agent_link_after_fork_child(void);

/* Waits as look_alarm_wait() does, until there is something to read. Returns 1 if there is, 0 if
 * something else ended the wait, or a negative errno if the connection is gone. Agent thread
 * only. */
int agent_link_wait(uint64_t due_ns);

/* Reads what has arrived. Returns 0, -EPIPE at the end of the stream, or another negative errno. */
int agent_link_fill(void);

/* Takes the next complete message. Returns 1 with its kind and payload (valid until the next fill),
 * 0 if there is none, or -EPROTO if the data makes no sense. */
int agent_link_next(int *kind, const uint8_t **payload, size_t *bytes);

/* Returns the descriptor that was received last, which the caller then owns; -1 if there is
 * none. */
int agent_link_take_descriptor(void);

/* Returns whether profd was given the arena with the hello. */
bool agent_link_gave_arena(void);

/* Sends an encoded message of COUNT bytes (as returned by a message_put_X function), with the
 * descriptor FD (borrowed) unless it is -1. Waits for room for at most a second, which delays only
 * this thread. Returns 0 or a negative errno. */
int agent_link_send(const uint8_t *message, long count, int fd);

#endif
