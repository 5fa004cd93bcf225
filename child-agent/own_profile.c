#include "child-agent/own_profile.h"

#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "common/features.h"
#include "json/gecko/gecko_clock.h"
#include "json/gecko/gecko_process.h"
#include "json/gecko/gecko_root.h"

static int stream_profile(struct arena_reader *reader, const struct session_settings *settings,
                          uint64_t since_ns, json_sink_write sink, void *context)
{
    const char *features[FEATURE_COUNT + 1];
    struct arena_info info;
    struct failure_latch latch;
    struct json_writer writer;
    arena_reader_info(reader, &info);
    uint64_t start_ns = since_ns != 0 ? since_ns : info.session_start_ns;
    struct gecko_root_options root = {
        .reference_ns = start_ns,
        .reference_unix_ns = gecko_clock_unix_ns(start_ns),
        .session_start_ns = start_ns,
        .capture_ns = clock_monotonic_ns(),
        .interval_ns = info.interval_ns,
        .memory_limit_bytes = settings->limit_bytes,
        .pid = getpid(),
        .features = features,
        .thread_filters = settings->filters,
    };
    const struct gecko_process_options options = {
        .reference_ns = root.reference_ns,
        .reference_unix_ns = root.reference_unix_ns,
        .capture_ns = root.capture_ns,
        .since_ns = since_ns,
        .thread_filters = since_ns != 0 ? settings->filters : NULL,
        .verdict = VERDICT_LIVE,
        .outcome = VERDICT_LIVE,
        .cpu_time.total_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID),
        .root = &root,
    };
    features_names(settings->features, features);
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, sink, context, &latch);
    int error = gecko_stream_process(reader, &options, &writer, NULL, &latch);
    json_writer_fini(&writer);
    return error;
}

int own_profile_write(const struct session_settings *settings, uint64_t since_ns,
                      json_sink_write sink, void *context)
{
    struct arena_reader *reader = NULL;
    int error = arena_reader_open_memory(core.arena.header, core.arena.mapped_bytes, &reader);
    if (error < 0)
        return error;
    error = stream_profile(reader, settings, since_ns, sink, context);
    arena_reader_close(reader);
    return error;
}
