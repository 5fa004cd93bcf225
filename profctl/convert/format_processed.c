/* The Firefox Profiler's own format, into which it turns all others. */
#include <errno.h>

#include "profctl/convert/processed_profile.h"

static int begin_processed(json_sink_write write, void *context, void **out)
{
    struct processed_profile *profile = processed_profile_create();

    if (profile == NULL)
        return -ENOMEM;
    json_writer_init_sink(&profile->json, write, context, &profile->latch);
    json_start_object(&profile->json);
    json_start_array_property(&profile->json, "threads");
    *out = profile;
    return 0;
}

static int finish_processed(void *state, const struct profile_facts *facts)
{
    struct processed_profile *profile = state;
    struct json_writer *writer = &profile->json;
    const struct column_output output = { .json = writer };
    int error = processed_profile_end_threads(profile);

    if (error < 0)
        return error;
    json_name(writer, "counters");
    error = processed_profile_write_counters(profile, writer);
    if (error < 0)
        return error;
    shared_tables_write_libraries(&profile->tables, writer);
    json_name(writer, "shared");
    shared_tables_write(&profile->tables, &output);
    processed_profile_write_meta(profile, facts, writer);
    json_end_object(writer);
    return json_writer_flush(writer);
}

const struct profile_format format_processed = {
    .name = "processed",
    .ending = ".processed.json",
    .summary = "the Firefox Profiler's own format",
    .begin = begin_processed,
    .add_thread = processed_profile_add_thread,
    .finish = finish_processed,
    .end = processed_profile_end,
    .add_counter = processed_profile_add_counter,
    .add_process = processed_profile_add_process,
    .add_meta = processed_profile_add_meta,
    .merge_exited = processed_profile_merge_exited,
    .wants_markers = true,
    .wants_profd = true,
};
