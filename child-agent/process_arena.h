/* The arena of the process: made when there is something to record, with what is known of the
 * process by then. */
#ifndef PROFD_AGENT_PROCESS_ARENA_H
#define PROFD_AGENT_PROCESS_ARENA_H

#include <stdint.h>

#include "buffer/arena.h"

/* An arena that is not within a lease has room for so many bytes of chunks. Before it is made. */
void process_arena_set_room(uint64_t chunk_bytes);

/* Makes arena and dictionary if they are not there, within the process' lease if there is a ledger,
 * and writes what is known: the process, its counters and registered threads. -ENOSPC when no unit
 * of the lease can be had, or too few for these records, -EFBIG, -ENOMEM, -EMFILE …: then there is
 * none, and no unit is kept. Any one thread at a time. */
int process_arena_make(void);

/* Moves the arena, in which nothing is recorded, into the lease that the process has by now. 0, or
 * -ENOSPC. Any one thread at a time. */
int process_arena_lease(void);

/* Gives the arena, whose file nobody has any more, another one, unless the process has it. 0, or
 * errors as arena_replace_file(). One thread. */
int process_arena_renew(void);

/* Shows NAME for this process from now on, and in every arena of it to come. Any thread. */
void process_arena_set_name(const char *name);

/* Likewise what the environment says of the process, but for so many labels. Before any arena. */
void process_arena_set_labels(const char text[ARENA_LABELS_BYTES], uint32_t left_out);

/* In a forked child, whose parent's arena is not its own: it starts as an image of its own. */
void process_arena_after_fork_child(void);

#endif
