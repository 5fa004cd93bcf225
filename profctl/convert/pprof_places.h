/* Places in code as in pprof: functions, locations with the functions inlined there, and mappings.
 *
 * A profile has one list of mappings for all of its processes, which have their libraries at
 * different addresses. So a library is put where the first process had it, and addresses of other
 * processes are moved accordingly. Frames that have a name have no address. One thread. */
#ifndef PROFD_PROFCTL_PPROF_PLACES_H
#define PROFD_PROFCTL_PPROF_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "profctl/convert/pprof_writer.h"
#include "profctl/convert/thread_stacks.h"

/* Initialised by pprof_places_init(). */
struct pprof_places {
    struct thread_stacks *stacks;    /* borrowed */
    struct pprof_writer *writer;     /* borrowed */
    struct unique_strings libraries; /* paths and build ids, each terminated */
    struct mapped_array mappings;    /* … struct pprof_mapping, by their numbers */
    struct unique_strings locations; /* struct pprof_location, as bytes */
    struct unique_strings names;     /* of libraries, as in frames */
    struct mapped_array of_names;    /* … uint32_t: the mapping in the current thread plus 1 */
    struct mapped_array of_stacks;   /* uint32_t: the location of each stack of that thread */
    struct mapped_array path;        /* uint64_t: of the stack unrolled last */
};

void pprof_places_init(struct pprof_places *places, struct thread_stacks *stacks,
                       struct pprof_writer *writer);
void pprof_places_fini(struct pprof_places *places);

/* Adds the places of THREAD, which the stacks have taken. Returns 0 or -ENOMEM. */
int pprof_places_take(struct pprof_places *places, const struct profile_thread *thread);

/* Returns the ids of the *DEPTH locations of STACK of that thread, innermost first, valid until the
 * next call; NULL if memory is exhausted. */
uint64_t *pprof_places_unroll(struct pprof_places *places, const struct thread_tables *tables,
                              uint32_t stack, size_t *depth);

/* Writes all places. Returns 0, -ENOMEM, or the sink's error. */
int pprof_places_write(struct pprof_places *places);

#endif
