/* What a process calls itself, as profd sees it from outside (child-agent/process_title.h): in the
 * arguments of one that lives, which /proc shows, and in the header of its arena. Loop thread. */
#ifndef PROFD_DAEMON_PROCESS_TITLE_H
#define PROFD_DAEMON_PROCESS_TITLE_H

#include <stddef.h>

#include "buffer/arena.h"

struct child;

/* BYTES of ARGUMENTS, NUL-separated, as they are at the moment, of a process that was started with
 * FIRST: in OUT what was written over them, without spaces at its end; "": nothing was. Pure. */
void process_title_find(const char *arguments, size_t bytes, const char *first,
                        char out[ARENA_TITLE_BYTES]);

/* What CHILD, which lives and has told no arguments, was started with, as far as it can be seen by
 * now. */
void process_title_learn_first_argument(struct child *child);

/* Looks at CHILD, which lives. */
void process_title_look(struct child *child);

/* Looks at the arena of CHILD, which has ended, while it is CHILD's. */
void process_title_recall(struct child *child);

#endif
