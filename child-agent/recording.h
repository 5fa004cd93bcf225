/* Recording: the path from a label or marker in the program to a block in the thread's chunk.
 *
 * A recording function starts with recording_begin() and ends with recording_end(). In between, the
 * session cannot end. Once the thread has a chunk, nothing here takes a lock, allocates memory or
 * makes a system call. */
#ifndef PROFD_AGENT_RECORDING_H
#define PROFD_AGENT_RECORDING_H

#include <stdint.h>

#include "buffer/chunk_manager.h"
#include "child-agent/core.h"
#include "child-agent/threads/thread_registration.h"

/* The chunk manager of the active or suspended session; NULL: nothing is recorded. session.c sets
 * it while nobody is recording. */
extern struct chunk_manager *recording_manager;

/* Slow path of recording_begin(): registers the thread, or gives it a writer for this session.
 * Returns NULL if there is nothing to record into. */
struct thread_registration *recording_begin_slow(void);

/* Returns the calling thread's registration, ready to write, or NULL. Counts what is to be recorded
 * by a signal handler that interrupted recording. */
static inline struct thread_registration *recording_begin(void)
{
    struct thread_registration *self = thread_current;
    if (__builtin_expect(self == NULL || self->is_recording != 0, 0))
        return recording_begin_slow();
    self->is_recording = 1;
    /* Pairs with the barrier that session.c raises on all threads: either it sees is_recording, or
     * this thread sees the generation that it has set. */
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(self->writer_generation != core_local.recording_generation ||
                             core_local.recording_generation == 0,
                         0)) {
        self->is_recording = 0;
        return recording_begin_slow();
    }
    return self;
}

/* Gives back the chunk of the calling thread, SELF, which has nothing more to record for now. */
void recording_give_back_chunk(struct thread_registration *self);

/* Takes back the chunk of a thread that is gone, unless it was writing when it ended. Called under
 * the registry's lock. */
void recording_take_back_chunk(struct thread_registration *gone);

static inline void recording_end(struct thread_registration *self)
{
    atomic_signal_fence(memory_order_release);
    self->is_recording = 0;
}

#endif
