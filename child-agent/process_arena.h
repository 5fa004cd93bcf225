/* The arena of the process. It is created when there is something to record, and starts with what
 * is known about the process by then. */
#ifndef PROFD_AGENT_PROCESS_ARENA_H
#define PROFD_AGENT_PROCESS_ARENA_H

#include <stdint.h>

#include "buffer/arena.h"

/* Sets the room for chunks, in bytes, of an arena without a lease. Must be called before the arena
 * is created. */
void process_arena_set_room(uint64_t chunk_bytes);

/* Creates arena and dictionary if they do not exist, within the process's lease if there is a
 * ledger, and writes what is known: the process, its counters and its registered threads. Returns
 * 0; -ENOSPC if no unit of the lease is available, or too few for these records; -EFBIG, -ENOMEM,
 * -EMFILE or another errno. After an error there is no arena, and no unit is kept. Any thread, but
 * one at a time. */
int process_arena_make(void);

/* Moves the arena, in which nothing is being recorded, into the lease that the process now has.
 * Returns 0 or -ENOSPC. Any thread, but one at a time. */
int process_arena_lease(void);

/* Gives the arena a new file, unless the process still has its descriptor; nobody has the old file
 * any more. Returns 0, or an error as arena_replace_file(). One thread. */
int process_arena_renew(void);

/* Sets the name that is shown for this process, in the current arena and in all later ones. Any
 * thread. */
void process_arena_set_name(const char *name);

/* Sets the labels that the environment gives the process, in TEXT, which stays; LEFT_OUT more did
 * not fit. Must be called before any arena is created. */
void process_arena_set_labels(const char text[ARENA_LABELS_BYTES], uint32_t left_out);

/* Forgets the parent's arena in a forked child, which starts as an image of its own. */
void process_arena_after_fork_child(void);

#endif
