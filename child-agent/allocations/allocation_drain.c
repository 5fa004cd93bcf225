#include "child-agent/allocations/allocation_drain.h"

#include <errno.h>
#include <string.h>

#include "buffer/allocation_encoder.h"
#include "child-agent/allocations/allocation_sampler.h"
#include "child-agent/core.h"
#include "child-agent/guest/pages.h"
#include "child-agent/sampler/stack_merge.h"

struct allocation_drain {
    struct unwinder *unwinder;
    struct allocation_encoder encoder;
    struct unwind_frame native[SAMPLE_MAX_FRAMES];
    struct stack_frame merged[SAMPLE_MAX_FRAMES];
    struct snapshot snapshot; /* what the unwinder takes */
};

int allocation_drain_create(struct chunk_writer *writer, struct unwinder *unwinder,
                            struct allocation_drain **out)
{
    struct allocation_drain *drain = pages_allocate(sizeof(*drain));
    if (drain == NULL)
        return -ENOMEM;
    drain->unwinder = unwinder;
    drain->encoder.writer = writer;
    *out = drain;
    return 0;
}

void allocation_drain_destroy(struct allocation_drain *drain)
{
    pages_free(drain, sizeof(*drain));
}

/* Registers that nobody copied stay 0: a walk that needs one ends there. */
static void fill_snapshot(struct snapshot *snapshot, struct allocation_record *record)
{
    snapshot->ticks = record->ticks;
    snapshot->registers[REGISTER_RIP] = record->pc;
    snapshot->registers[REGISTER_RSP] = record->stack_address;
    snapshot->registers[REGISTER_RBP] = record->frame_pointer;
    snapshot->stack_start = record->stack_address;
    snapshot->stack_bytes = record->stack_bytes;
    snapshot->is_truncated = record->is_truncated;
    snapshot->label_count = record->label_count;
    memcpy(snapshot->labels, record->labels, record->label_count * sizeof(record->labels[0]));
    snapshot->stack = allocation_record_stack(record);
}

static void write_record(struct allocation_drain *drain, struct allocation_record *record)
{
    const struct snapshot *snapshot = &drain->snapshot;
    bool is_complete;
    fill_snapshot(&drain->snapshot, record);
    size_t native_count = unwinder_walk(drain->unwinder, snapshot, record->root_stack_address,
                                        drain->native, SAMPLE_MAX_FRAMES, &is_complete);
    size_t depth = stack_merge(drain->native, native_count, snapshot->labels, snapshot->label_count,
                               drain->merged, SAMPLE_MAX_FRAMES);
    struct allocation allocation = {
        .owner_index = record->owner_index,
        .actor_index = record->actor_index,
        .ticks = record->ticks,
        .size = record->size,
        .address = record->address,
        .frames = drain->merged,
        .depth = (uint32_t)depth,
        .is_truncated = record->is_truncated && !is_complete,
    };
    if (allocation.is_truncated)
        arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    (void)allocation_encoder_write(&drain->encoder, &allocation); /* counted by the writer */
}

void allocation_drain_all(struct allocation_drain *drain)
{
    uint32_t generation;
    struct allocation_record *record;
    struct allocation_ring *ring = allocation_sampler_ring(&generation);
    while (ring != NULL && (record = allocation_ring_peek(ring)) != NULL) {
        if (record->generation == generation)
            write_record(drain, record);
        allocation_ring_drop(ring, record);
    }
}
