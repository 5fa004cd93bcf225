/* Unregistered threads: markers of the main thread, since they have no tracks of their own. */
#include "common/time_units.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_meta.h"

static struct thread_context *main_thread_of(const struct process_context *process)
{
    for (size_t i = 0; i < process->threads.count; i++)
        if (process_thread(process, i)->is_main)
            return process_thread(process, i);
    return NULL;
}

static void stream_payload(struct json_writer *writer, const struct unregistered_entry *entry,
                           uint64_t period_ns)
{
    json_start_object(writer);
    json_string_property(writer, "type", GECKO_UNREGISTERED_THREAD_MARKER);
    json_name(writer, "threadName");
    json_string_bytes(writer, entry->name.bytes, entry->name.length);
    json_u64_property(writer, "threadId", entry->tid);
    if (entry->state == UNREGISTERED_RAN) {
        double cpu_ns = (double)entry->cpu_us * NS_PER_US;
        json_double_property(writer, "cpuTime", cpu_ns / NS_PER_MS);
        json_double_property(writer, "cpuUse", period_ns > 0 ? cpu_ns / (double)period_ns : 0);
    }
    json_end_object(writer);
}

void unregistered_take(struct process_context *process, const struct unregistered_entry *entry,
                       uint64_t offset_ns, uint64_t period_ns)
{
    static const struct arena_string names[] = {
        [UNREGISTERED_FOUND] = { "Unregistered thread found", 25 },
        [UNREGISTERED_RAN] = { "Unregistered thread", 19 },
        [UNREGISTERED_GONE] = { "Unregistered thread ended", 25 },
    };
    const struct arena_string *name = &names[entry->state];
    const uint64_t *ticks = process->ticks.items;
    struct thread_context *thread = main_thread_of(process);
    bool has_run = entry->state == UNREGISTERED_RAN;
    if (thread == NULL || process->ticks.count == 0) {
        process->bad_entries++;
        return;
    }
    uint64_t time_ns = ticks[process->ticks.count - 1] + offset_ns;
    if (time_ns < offset_ns || time_ns < period_ns) { /* damage */
        process->bad_entries++;
        return;
    }
    if (time_ns < process->options.since_ns || !bounds_allow(process))
        return;

    struct json_writer *writer = &thread->markers;
    json_start_array(writer);
    json_u64(writer, unique_strings_add(&thread->strings, name->bytes, name->length));
    json_time_ms(writer, process_relative_ns(process, has_run ? time_ns - period_ns : time_ns));
    if (has_run)
        json_time_ms(writer, process_relative_ns(process, time_ns));
    else
        json_null(writer);
    json_u64(writer, has_run ? PHASE_INTERVAL : PHASE_INSTANT);
    json_u64(writer, CATEGORY_OTHER);
    stream_payload(writer, entry, period_ns);
    json_end_array(writer);
    bounds_account(process, thread);
}
