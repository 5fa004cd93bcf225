/* What a process calls itself, as profd sees it from outside (child-agent/process_title.h): in the
 * arguments of one that lives, which /proc shows, and in the header of its arena. Loop thread. */
#ifndef PROFD_DAEMON_PROCESS_TITLE_H
#define PROFD_DAEMON_PROCESS_TITLE_H

#include <stdbool.h>

struct child;

/* The title of a child when that was last looked at. Zeroed: none is known. */
struct process_title {
    char *text;      /* owned; NULL: none, or not looked at */
    bool was_looked; /* at, while the process lived */
};

/* The title is TEXT; "": nothing new is known. */
void process_title_set(struct process_title *title, const char *text);

/* What was seen was before something that could have changed it: it has to be looked at again. */
void process_title_expire(struct process_title *title);

void process_title_free(struct process_title *title);

/* What CHILD, which lives and has told no arguments, was started with, as far as it can be seen by
 * now. */
void process_title_learn_first_argument(struct child *child);

/* Looks at CHILD, which lives. Once is enough for one in which an agent looks, too. */
void process_title_look(struct child *child);

/* Looks at the arena of CHILD, which has ended, while it is CHILD's. */
void process_title_recall(struct child *child);

#endif
