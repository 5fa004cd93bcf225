/* Markers: rows of [name, startTime, endTime, phase, category, data], written as they are read. */
#include <string.h>

#include "json/gecko_context.h"
#include "json/gecko_meta.h"
#include "json/gecko_schema.h"
#include "json/json_format.h"

enum { VERDICT_MAX_BYTES = 512 };

enum marker_phase {
    PHASE_INSTANT = 0,
    PHASE_INTERVAL = 1,
    PHASE_INTERVAL_START = 2,
    PHASE_INTERVAL_END = 3,
};

static enum marker_phase phase_of(uint8_t kind)
{
    if (kind >= ENTRY_TEXT_MARKER)
        kind = (uint8_t)(kind - ENTRY_TEXT_OFFSET);
    switch (kind) {
    case ENTRY_MARKER_START:
        return PHASE_INTERVAL_START;
    case ENTRY_MARKER_END:
        return PHASE_INTERVAL_END;
    case ENTRY_MARKER_INTERVAL:
        return PHASE_INTERVAL;
    default:
        return PHASE_INSTANT;
    }
}

static void stream_times(struct json_writer *writer, enum marker_phase phase, int64_t start_ns,
                         int64_t end_ns)
{
    if (phase == PHASE_INTERVAL_END)
        json_null(writer);
    else
        json_time_ms(writer, start_ns);
    if (phase == PHASE_INTERVAL || phase == PHASE_INTERVAL_END)
        json_time_ms(writer, end_ns);
    else
        json_null(writer);
}

static void stream_text(struct json_writer *writer, const struct arena_string *text)
{
    json_start_object(writer);
    json_string_property(writer, "type", GECKO_TEXT_MARKER);
    json_name(writer, "name");
    json_string_bytes(writer, text->bytes, text->length);
    json_end_object(writer);
}

void markers_take(struct process_context *process, struct thread_context *thread, uint8_t kind,
                  const struct marker_entry *marker, uint64_t time_ns, uint64_t duration_ns)
{
    static const char unknown[] = "(unknown marker)";
    const struct site *site = process_site(process, marker->site);
    const char *name = site != NULL ? site->name.bytes : unknown;
    size_t length = site != NULL ? site->name.length : sizeof(unknown) - 1;
    enum marker_phase phase = phase_of(kind);
    int64_t end_ns = process_relative_ns(process, time_ns);
    struct json_writer *writer = &thread->markers;

    if (time_ns < process->options.since_ns)
        return;
    json_start_array(writer);
    json_u64(writer, unique_strings_add(&thread->strings, name, length));
    stream_times(writer, phase, end_ns - (int64_t)duration_ns, end_ns);
    json_u64(writer, phase);
    json_u64(writer, gecko_category(site != NULL ? site->category : (uint32_t)CATEGORY_OTHER));
    if (marker->text.bytes != NULL)
        stream_text(writer, &marker->text);
    json_end_array(writer);
}

/* "killed by signal 9", "did not answer: timeout" … Returns its length, 0 for a live process. */
static size_t describe_verdict(const struct gecko_process_options *options, char *out,
                               size_t capacity)
{
    static const struct {
        const char *text;
        bool has_code;
    } verdicts[] = {
        [VERDICT_EXITED] = { "exited with status ", true },
        [VERDICT_KILLED] = { "killed by signal ", true },
        [VERDICT_EXECED] = { "became another program", false },
        [VERDICT_FROZEN] = { "did not answer", false },
        [VERDICT_VANISHED] = { "vanished", false },
        [VERDICT_NOT_PROFILED] = { "not profiled", false },
    };
    size_t index = (size_t)options->verdict;
    if (index >= sizeof(verdicts) / sizeof(verdicts[0]) || verdicts[index].text == NULL)
        return 0;
    char *end = stpcpy(out, verdicts[index].text);
    if (verdicts[index].has_code)
        end = json_format_u64(end, options->code < 0 ? 0 : (uint64_t)options->code);
    if (options->reason != NULL) {
        end = stpcpy(end, ": ");
        size_t room = capacity - (size_t)(end - out);
        size_t length = strnlen(options->reason, room);
        memcpy(end, options->reason, length);
        end += length;
    }
    return (size_t)(end - out);
}

void markers_add_verdict(struct process_context *process, struct thread_context *main_thread)
{
    static const char name[] = "Process";
    char bytes[VERDICT_MAX_BYTES];
    struct arena_string text = { .bytes = bytes };
    text.length = describe_verdict(&process->options, bytes, sizeof(bytes));
    uint64_t end_ns = process_end_ns(process);
    if (text.length == 0)
        return;
    if (end_ns == UINT64_MAX)
        end_ns = process->options.capture_ns;

    struct json_writer *writer = &main_thread->markers;
    json_start_array(writer);
    json_u64(writer, unique_strings_add(&main_thread->strings, name, sizeof(name) - 1));
    stream_times(writer, PHASE_INSTANT, process_relative_ns(process, end_ns), 0);
    json_u64(writer, PHASE_INSTANT);
    json_u64(writer, CATEGORY_PROFILER);
    stream_text(writer, &text);
    json_end_array(writer);
}

void markers_stream(struct thread_context *thread, struct json_writer *writer)
{
    gecko_start_table(writer, gecko_marker_columns);
    json_splice(writer, &thread->markers);
    gecko_end_table(writer);
}
