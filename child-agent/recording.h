/* Recording: the way from a label or marker in the program to a block in the thread's chunk.
 *
 * A recording function is entered with recording_begin() and left with recording_end(); between the
 * two the session cannot go away. Nothing here locks, allocates or calls the system once the thread
 * has a chunk. */
#ifndef PROFD_AGENT_RECORDING_H
#define PROFD_AGENT_RECORDING_H

#include <stdint.h>

#include "buffer/chunk_manager.h"
#include "child-agent/core.h"
#include "child-agent/threads/thread_registration.h"

/* Of the session that is on, or of one that is suspended; NULL: nothing is recorded. session.c sets
 * it while nobody records. */
extern struct chunk_manager *recording_manager;

/* Slow side of recording_begin: registers the thread, or gives it a writer for this session. NULL
 * when there is nothing to record into. */
struct thread_registration *recording_begin_slow(void);

/* The calling thread's registration, ready to write, or NULL. Counts what is recorded from a signal
 * handler that interrupted recording. */
static inline struct thread_registration *recording_begin(void)
{
    struct thread_registration *self = thread_current;
    if (__builtin_expect(self == NULL || self->is_recording != 0, 0))
        return recording_begin_slow();
    self->is_recording = 1;
    /* Pairs with the barrier that session.c raises on all threads: either it sees is_recording, or
     * we see the generation that it set. */
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(self->writer_generation != core_local.recording_generation ||
                             core_local.recording_generation == 0,
                         0)) {
        self->is_recording = 0;
        return recording_begin_slow();
    }
    return self;
}

/* The calling thread, SELF, has nothing more to record for now: its chunk goes back. */
void recording_give_back_chunk(struct thread_registration *self);

/* The same for a thread that is gone, unless it was writing at its end. Under the registry's lock.
 */
void recording_take_back_chunk(struct thread_registration *gone);

static inline void recording_end(struct thread_registration *self)
{
    atomic_signal_fence(memory_order_release);
    self->is_recording = 0;
}

#endif
