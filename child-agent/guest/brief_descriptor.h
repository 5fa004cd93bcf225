/* Descriptors of the agent that are open in the program's table for moments, while it tells
 * something. A copy of the process that another thread makes meanwhile has them, too, and closes
 * its own. */
#ifndef PROFD_AGENT_BRIEF_DESCRIPTOR_H
#define PROFD_AGENT_BRIEF_DESCRIPTOR_H

/* Notes that FD is such a descriptor, until it is closed or forgotten. Of many at once some may not
 * be noted. Any thread; async-signal-safe. May change errno. */
void brief_descriptor_note(int fd);

/* Closes FD, or leaves it open to stay, noted or not. Any thread; async-signal-safe. */
void brief_descriptor_close(int fd);
void brief_descriptor_forget(int fd);

/* In a forked child: closes those that other threads of the parent had open. */
void brief_descriptor_after_fork_child(void);

#endif
