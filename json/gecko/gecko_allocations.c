/* Sampled allocations, as the markers that viewers make their allocation views of.
 *
 * An allocation and its end are rows of one thread, the one that allocated, even if another one
 * freed: viewers match the two within a thread, and want them in the order of time. Threads write
 * into different chunks, so markers are made when all have been read. */
#include <errno.h>

#include "json/gecko/allocation_marker.h"
#include "json/gecko/gecko_context.h"

struct allocation_row {
    uint64_t time_ns;
    uint64_t sequence; /* of reading: tells those of one time apart */
    int64_t size;
    uint64_t address;
    uint32_t owner, actor; /* positions of threads */
    uint32_t stack;        /* of the owner's; UNIQUE_NONE: none */
};

static void stream_row(const struct process_context *process, const struct allocation_row *row)
{
    struct thread_context *owner = process_thread(process, row->owner);
    const struct allocation_marker marker = {
        .name = allocation_marker_name(&owner->strings),
        .stack = row->stack,
        .time_ns = process_relative_ns(process, row->time_ns),
        .size = row->size,
        .pid = process->unique_pid,
        .tid = process_thread(process, row->actor)->tid,
        .has_address = true,
        .address = row->address,
    };
    allocation_marker_stream(&marker, &owner->markers);
}

static void add_row(struct process_context *process, const struct allocation_row *row)
{
    struct allocation_row *added = mapped_array_push(&process->allocation_rows, sizeof(*added));
    if (added == NULL) {
        failure_latch_set(process->latch, -ENOMEM);
        return;
    }
    *added = *row;
    process->held_bytes += sizeof(*added);
}

void allocations_take(struct process_context *process, const struct allocation_entry *entry,
                      uint64_t time_ns, bool is_truncated)
{
    struct stack_tracker *tracker = stack_tracker_at(process, &process->allocations);
    if (tracker == NULL)
        return;
    if (sample_decode_stack(&entry->stack, &tracker->state) < 0) {
        tracker->state.depth = 0;
        process->bad_entries++;
        return;
    }
    /* Numbers in JSON are exact up to here, and so are addresses. */
    if (entry->address >> 53 != 0 || time_ns < process->options.since_ns) {
        process->bad_entries += entry->address >> 53 != 0;
        return;
    }
    if (!bounds_allow(process))
        return;
    const struct thread_context *actor = process_thread_at(process, entry->actor_index, time_ns);
    if (actor == NULL)
        return;
    size_t actor_position = (size_t)(actor - process_thread(process, 0));
    struct thread_context *owner = process_thread_at(process, entry->owner_index, time_ns);
    if (owner == NULL)
        return;
    const struct allocation_row row = {
        .time_ns = time_ns,
        .sequence = process->allocation_rows.count,
        .size = entry->size,
        .address = entry->address,
        .owner = (uint32_t)(owner - process_thread(process, 0)),
        .actor = (uint32_t)actor_position,
        .stack = stacks_unique(process, owner, &tracker->state, is_truncated),
    };
    add_row(process, &row);
    bounds_account(process, owner);
}

static bool is_before(const void *one, const void *other)
{
    const struct allocation_row *a = one, *b = other;
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->sequence < b->sequence;
}

void allocations_finish(struct process_context *process)
{
    struct mapped_array *rows = &process->allocation_rows;
    const struct allocation_row *at = rows->items;
    mapped_array_sort(rows, sizeof(*at), is_before);
    for (size_t i = 0; i < rows->count; i++) {
        stream_row(process, &at[i]);
        bounds_account(process, process_thread(process, at[i].owner));
    }
    allocations_fini(process);
}

void allocations_fini(struct process_context *process)
{
    mapped_array_free(&process->allocation_rows);
}
