/* Sampled allocations, as the markers that viewers make their allocation views of.
 *
 * An allocation and its end are rows of one thread, the one that allocated, whoever freed: viewers
 * match the two within a thread. */
#include <errno.h>

#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"

static const char allocation_name[] = "Native allocation";

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

static void stream_row(const struct process_context *process, struct thread_context *owner,
                       const struct thread_context *actor, const struct allocation_entry *entry,
                       uint32_t stack, int64_t time_ns)
{
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
    json_i64_property(writer, "size", entry->size);
    json_u64_property(writer, "memoryAddress", entry->address);
    json_i64_property(writer, "threadId", actor->tid);
    if (stack != UNIQUE_NONE)
        stream_stack(process, actor, stack, time_ns, writer);
    json_end_object(writer);
    json_end_array(writer);
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
    if (!bounds_let(process))
        return;
    /* Threads race for their places in the buffer; viewers want a table sorted by time. */
    if (time_ns < process->last_allocation_ns)
        time_ns = process->last_allocation_ns;
    process->last_allocation_ns = time_ns;
    const struct thread_context *actor = process_thread_at(process, entry->actor_index, time_ns);
    if (actor == NULL)
        return;
    size_t actor_position = (size_t)(actor - process_thread(process, 0));
    struct thread_context *owner = process_thread_at(process, entry->owner_index, time_ns);
    if (owner == NULL)
        return;
    uint32_t stack = samples_unique_stack(process, owner, &tracker->state, is_truncated);
    /* The owner may have been made up just now, and the others moved. */
    actor = process_thread(process, actor_position);
    stream_row(process, owner, actor, entry, stack, process_relative_ns(process, time_ns));
    bounds_account(process, owner);
}
