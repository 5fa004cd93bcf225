#include "daemon/capture/gathering_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "common/file_name.h"
#include "daemon/children/child_table.h"

static const char *const gap_texts[] = {
#define X(name, text) [GAP_##name] = text,
    GATHERING_GAPS(X)
#undef X
};

void gathering_log_begin(struct gathering_log *log, uint64_t reference_ns)
{
    memset(log->gaps, 0, sizeof(log->gaps));
    log->reference_ns = reference_ns;
    failure_latch_init(&log->latch);
    json_writer_init(&log->json, &log->latch);
    json_start_object(&log->json);
    json_time_ms_property(&log->json, "profileGatheringLogBegin_ms",
                          (int64_t)(uv_hrtime() - reference_ns));
    json_start_array_property(&log->json, "events");
}

void gathering_log_free(struct gathering_log *log)
{
    json_writer_fini(&log->json);
}

void gathering_log_event(struct gathering_log *log, const struct child *child, const char *event,
                         const char *detail)
{
    struct json_writer *json = &log->json;

    json_start_object(json);
    json_time_ms_property(json, "time_ms", (int64_t)(uv_hrtime() - log->reference_ns));
    json_string_property(json, "event", event);
    if (child != NULL) {
        json_i64_property(json, "pid", child->pid);
        json_u64_property(json, "image", child->image);
        json_string_property(json, "executable", child->executable);
    }
    if (detail != NULL)
        json_string_property(json, "detail", detail);
    json_end_object(json);
}

/* False when there is no room for it. */
static bool add_name(char names[GATHERING_NAMES_BYTES], const struct child *child)
{
    size_t used = strlen(names);
    const char *name = file_name_of(child->executable);
    char one[80];

    int length = snprintf(one, sizeof(one), "%s%d (%.40s)", used > 0 ? ", " : "", child->pid,
                          name[0] != '\0' ? name : "its program is not known");
    if (length < 0 || used + (size_t)length >= GATHERING_NAMES_BYTES)
        return false;
    memcpy(names + used, one, (size_t)length + 1);
    return true;
}

void gathering_log_gap(struct gathering_log *log, const struct child *child, enum gathering_gap gap,
                       const char *detail)
{
    log->gaps[gap].count++;
    /* Those after one without room are not named either: "the first ones" is what is told. */
    if (log->gaps[gap].named + 1 == log->gaps[gap].count)
        log->gaps[gap].named += add_name(log->gaps[gap].names, child);
    gathering_log_event(log, child, gap_texts[gap], detail);
}

void gathering_log_gap_count(struct gathering_log *log, enum gathering_gap gap, uint64_t count)
{
    char detail[64];

    if (count == 0)
        return;
    log->gaps[gap].count += count;
    snprintf(detail, sizeof(detail), "%" PRIu64 " processes", count);
    gathering_log_event(log, NULL, gap_texts[gap], detail);
}

void gathering_log_end(struct gathering_log *log)
{
    json_end_array(&log->json);
    json_time_ms_property(&log->json, "profileGatheringLogEnd_ms",
                          (int64_t)(uv_hrtime() - log->reference_ns));
    json_end_object(&log->json);
}

void gathering_log_line(const struct gathering_log *log, char out[GATHERING_LINE_BYTES])
{
    size_t used = 0;

    out[0] = '\0';
    for (int gap = 0; gap < GAP_COUNT; gap++) {
        uint64_t count = log->gaps[gap].count;
        const char *names = log->gaps[gap].names;
        if (count == 0)
            continue;
        uint64_t named = log->gaps[gap].named;
        char more[40] = "";
        if (named > 0 && named < count)
            snprintf(more, sizeof(more), " and %" PRIu64 " more", count - named);
        int length =
            snprintf(out + used, GATHERING_LINE_BYTES - used, "%s%" PRIu64 " process%s %s%s%s%s",
                     used > 0 ? "; " : "", count, count == 1 ? "" : "es", gap_texts[gap],
                     names[0] ? ": " : "", names, more);
        if (length < 0 || used + (size_t)length >= GATHERING_LINE_BYTES)
            return;
        used += (size_t)length;
    }
}
