/* Sampled allocations, as the markers that viewers make their allocation views of.
 *
 * An allocation and its end are rows of one thread, the one that allocated, whoever freed: viewers
 * match the two within a thread, and want them in the order of time. Threads write into different
 * chunks, so markers are made when all have been read. */
#include <errno.h>

#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"

static const char allocation_name[] = "Native allocation";

struct allocation_row {
    uint64_t time_ns;
    uint64_t sequence; /* of reading: tells those of one time apart */
    int64_t size;
    uint64_t address;
    uint32_t owner, actor; /* positions of threads */
    uint32_t stack;        /* of the owner's; UNIQUE_NONE: none */
};

/* A stack within a marker is a thread in small, with one sample. */
static void stream_stack(const struct process_context *process, const struct thread_context *actor,
                         uint32_t stack, int64_t time_ns, struct json_writer *writer)
{
    static const char *const columns[] = { "stack", "time", "eventDelay", NULL };
    json_start_object_property(writer, "stack");
    json_string_property(writer, "name", "SyncProfile");
    json_name(writer, "registerTime");
    json_null(writer);
    json_name(writer, "unregisterTime");
    json_null(writer);
    json_string_property(writer, "processType", "default");
    json_i64_property(writer, "tid", actor->tid);
    json_i64_property(writer, "pid", process->unique_pid);
    json_name(writer, "markers");
    gecko_start_table(writer, gecko_marker_columns);
    gecko_end_table(writer);
    json_name(writer, "samples");
    gecko_start_table(writer, columns);
    json_start_array(writer);
    json_u64(writer, stack);
    json_time_ms(writer, time_ns);
    json_u64(writer, 0);
    json_end_array(writer);
    gecko_end_table(writer);
    json_end_object(writer);
}

static void stream_row(const struct process_context *process, const struct allocation_row *row)
{
    struct thread_context *owner = process_thread(process, row->owner);
    const struct thread_context *actor = process_thread(process, row->actor);
    int64_t time_ns = process_relative_ns(process, row->time_ns);
    struct json_writer *writer = &owner->markers;
    json_start_array(writer);
    json_u64(writer,
             unique_strings_add(&owner->strings, allocation_name, sizeof(allocation_name) - 1));
    json_time_ms(writer, time_ns);
    json_null(writer);
    json_u64(writer, 0); /* at a moment */
    json_u64(writer, CATEGORY_OTHER);
    json_start_object(writer);
    json_string_property(writer, "type", allocation_name);
    json_i64_property(writer, "size", row->size);
    json_u64_property(writer, "memoryAddress", row->address);
    json_i64_property(writer, "threadId", actor->tid);
    if (row->stack != UNIQUE_NONE)
        stream_stack(process, actor, row->stack, time_ns, writer);
    json_end_object(writer);
    json_end_array(writer);
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
