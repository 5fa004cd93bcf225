/* What a process in another pid namespace than profd's tells the census of programs that will not
 * be profiled. Its numbers mean nothing to profd, so each is told of over a connection of its own,
 * and the kernel says whose: at the other end is the process that becomes the program, or the
 * message carries a descriptor of the child that was made to run it. How children ended is told by
 * the ring, by their identity (common/pidfd.h).
 *
 * Async-signal-safe, also between vfork and exec. May change errno. */
#ifndef PROFD_AGENT_CENSUS_MESSAGE_H
#define PROFD_AGENT_CENSUS_MESSAGE_H

#include <sys/types.h>

#include "child-agent/agent_address.h"

struct census_entry;

/* From now on, programs are told of to the profd at ADDRESS. Called from the constructor. */
void census_message_follow(const struct agent_address *address);

/* CHILD, of vfork, is about to set a filter of system calls for itself: from then on it does not
 * tell, since that takes calls. */
void census_message_note_confined(pid_t child);

/* Tells of ENTRY, a CENSUS_EXEC or CENSUS_FAILED of this process or of a child of it. Returns 0, or
 * a negative errno if profd cannot be told. */
int census_message_tell(const struct census_entry *entry);

#endif
