/* Places in code as pprof has them: functions, locations with what is inlined there, and mappings.
 *
 * A profile has one list of mappings for all of its processes, which have their libraries at
 * different addresses: a library is where the first process had it, and an address in another one
 * is moved there. Frames that have a name have no address. One thread. */
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
    struct unique_strings libraries; /* paths and build ids, each with its NUL … */
    struct mapped_array mappings;    /* … struct pprof_mapping, by their numbers */
    struct unique_strings locations; /* struct pprof_location, as bytes */
    struct unique_strings names;     /* of libraries, as frames have them … */
    struct mapped_array of_names;    /* … uint32_t: the mapping in the thread at hand, and 1 */
    struct mapped_array of_stacks;   /* uint32_t: the location of each stack of that thread */
    struct mapped_array path;        /* uint64_t: of the stack that was unrolled last */
};

void pprof_places_init(struct pprof_places *places, struct thread_stacks *stacks,
                       struct pprof_writer *writer);
void pprof_places_fini(struct pprof_places *places);

/* Takes the places of THREAD, which the stacks have taken. 0 or -ENOMEM. */
int pprof_places_take(struct pprof_places *places, const struct profile_thread *thread);

/* The ids of the locations of STACK of that thread, the innermost first, *DEPTH of them, until the
 * next call. NULL: no memory. */
uint64_t *pprof_places_unroll(struct pprof_places *places, const struct thread_tables *tables,
                              uint32_t stack, size_t *depth);

/* Writes all of them. 0, -ENOMEM, or the sink's error. */
int pprof_places_write(struct pprof_places *places);

#endif
