/* What makes a title of the arguments of a process: who writes over them, as PostgreSQL and nginx
 * do, calls itself so. Pure, and async-signal-safe: the agent looks at its own, profd at /proc. */
#ifndef PROFD_BUFFER_ARENA_TITLE_H
#define PROFD_BUFFER_ARENA_TITLE_H

#include <stddef.h>

#include "buffer/arena.h"

/* ARGUMENTS, NUL-separated, of which BYTES may be read up to the first NUL, are those of the
 * moment, of a process that was started with FIRST: in OUT what was written over them, without
 * spaces at its end; "": nothing was. */
void arena_title_find(const char *arguments, size_t bytes, const char *first,
                      char out[ARENA_TITLE_BYTES]);

#endif
