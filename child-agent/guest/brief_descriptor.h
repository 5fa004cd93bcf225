/* Descriptors of the agent that are open in the program's table for moments, while it tells
 * something. A copy of the process that another thread makes meanwhile has them, too, and closes
 * its own. */
#ifndef PROFD_AGENT_BRIEF_DESCRIPTOR_H
#define PROFD_AGENT_BRIEF_DESCRIPTOR_H

/* A descriptor, and the place of its note; -1: of many at once some are not noted. */
struct brief_descriptor {
    int fd, place;
};

/* Notes that FD is such a descriptor, until one of the functions below is called with what this
 * returns. Any thread; async-signal-safe. May change errno. */
struct brief_descriptor brief_descriptor_note(int fd);

/* Closes the descriptor. Any thread; async-signal-safe. */
void brief_descriptor_close(const struct brief_descriptor *noted);

/* Leaves it open, to stay. Any thread; async-signal-safe. */
void brief_descriptor_forget(const struct brief_descriptor *noted);

/* In a forked child: closes those that other threads of the parent had open. */
void brief_descriptor_after_fork_child(void);

#endif
