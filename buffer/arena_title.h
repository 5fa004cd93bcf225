/* Finds the title of a process that overwrites its command-line arguments to name itself, as
 * PostgreSQL and nginx do. Pure and async-signal-safe. The agent uses it for its own arguments,
 * profd for those in /proc. */
#ifndef PROFD_BUFFER_ARENA_TITLE_H
#define PROFD_BUFFER_ARENA_TITLE_H

#include <stddef.h>

#include "buffer/arena.h"

/* Writes to OUT the title of a process, which is terminated and has no spaces at its end; "" if the
 * process has not overwritten its arguments. ARGUMENTS are the current arguments, NUL-separated; up
 * to BYTES of them may be read, until the first NUL. FIRST is the first argument that the process
 * was started with. */
void arena_title_find(const char *arguments, size_t bytes, const char *first,
                      char out[ARENA_TITLE_BYTES]);

#endif
