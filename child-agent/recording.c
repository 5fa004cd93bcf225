#include "child-agent/recording.h"

#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"

struct chunk_manager *recording_manager;

/* Inside recording: nothing can take the session away. */
static void renew_writer(struct thread_registration *self, uint32_t generation)
{
    chunk_writer_init(&self->writer, recording_manager, self->index);
    self->writer_generation = generation;
}

struct thread_registration *recording_begin_slow(void)
{
    upcall_end_dormancy();
    if (core_local.is_resting)
        upcall_look_for_session();
    if (core_local.recording_generation == 0 || core_is_forking)
        return NULL;
    if (thread_current == NULL && thread_registry_register_current(NULL, false) < 0)
        return NULL;
    struct thread_registration *self = thread_current;
    if (self == NULL || !(atomic_load(&self->profiled_features) & PROFD_THREAD_MARKERS))
        return NULL;
    if (self->is_recording != 0) {
        arena_count_refused_block(core.arena.header, DROP_REENTRANT, 0);
        return NULL;
    }
    self->is_recording = 1;
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t generation = core_local.recording_generation;
    if (generation == 0) {
        self->is_recording = 0;
        return NULL;
    }
    if (self->writer_generation != generation)
        renew_writer(self, generation);
    return self;
}

void recording_take_back_chunk(struct thread_registration *gone)
{
    if (gone->is_recording != 0 || gone->writer_generation == 0 ||
        gone->writer_generation != core_local.recording_generation)
        return;
    chunk_writer_finish(&gone->writer);
    gone->writer_generation = 0;
}

void recording_give_back_chunk(struct thread_registration *self)
{
    if (self == NULL || core_local.recording_generation == 0 || recording_begin() != self)
        return;
    chunk_writer_finish(&self->writer);
    self->writer_generation = 0;
    recording_end(self);
}
