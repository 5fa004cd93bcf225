/* The title of a process as profd sees it from outside (child-agent/process_title.h): in the
 * arguments that /proc shows while it is alive, and in the header of its arena. Loop thread. */
#ifndef PROFD_DAEMON_PROCESS_TITLE_H
#define PROFD_DAEMON_PROCESS_TITLE_H

#include <stdbool.h>

struct child;

/* The title of a child as last read. Zeroed: none is known. */
struct process_title {
    char *text;      /* owned; NULL: none, or not read yet */
    bool was_looked; /* it was read while the process was alive */
};

/* Sets the title to TEXT; "" changes nothing. */
void process_title_set(struct process_title *title, const char *text);

/* Marks the title as possibly changed, so that it has to be read again. */
void process_title_expire(struct process_title *title);

void process_title_free(struct process_title *title);

/* Reads what CHILD, which is alive and has reported no arguments, was started with, as far as that
 * is still visible. */
void process_title_learn_first_argument(struct child *child);

/* Reads the title of CHILD, which is alive. Once is enough if an agent in it watches the title,
 * too. */
void process_title_look(struct child *child);

/* Reads the title from the arena of CHILD, which has ended and still has its arena. */
void process_title_recall(struct child *child);

#endif
