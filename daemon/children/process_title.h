/* What a process calls itself, as profd sees it from outside (child-agent/process_title.h): in the
 * arguments of one that lives, which /proc shows, and in the header of its arena. Loop thread. */
#ifndef PROFD_DAEMON_PROCESS_TITLE_H
#define PROFD_DAEMON_PROCESS_TITLE_H

struct child;

/* What CHILD, which lives and has told no arguments, was started with, as far as it can be seen by
 * now. */
void process_title_learn_first_argument(struct child *child);

/* Looks at CHILD, which lives. */
void process_title_look(struct child *child);

/* Looks at the arena of CHILD, which has ended, while it is CHILD's. */
void process_title_recall(struct child *child);

#endif
