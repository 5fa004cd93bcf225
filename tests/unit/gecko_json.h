/* The process of an arena, as JSON in memory. */
#ifndef TESTS_UNIT_GECKO_JSON_H
#define TESTS_UNIT_GECKO_JSON_H

#include "json/gecko/gecko_process.h"
#include "tests/unit/json_text.h"

/* Appends what READER reads, which it closes. PROGRESS may be NULL. */
static inline void stream_reader(struct arena_reader *reader,
                                 const struct gecko_process_options *options,
                                 struct progress *progress, struct text *text)
{
    struct failure_latch latch;
    struct json_writer writer;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, text, &latch);
    ck_assert_int_eq(gecko_stream_process(reader, options, &writer, progress, &latch), 0);
    json_writer_fini(&writer);
    arena_reader_close(reader);
}

/* Appends what is in SOURCE, to the end of the progress. */
static inline void stream_arena(struct arena *source, const struct gecko_process_options *options,
                                struct text *text)
{
    struct arena_reader *reader;
    struct progress_value reached;
    progress_value_init(&reached);
    struct progress progress = progress_whole(&reached);
    arena_update_clock(source);
    ck_assert_int_eq(arena_reader_open(source->fd, &reader), 0);
    stream_reader(reader, options, &progress, text);
    ck_assert_uint_eq(progress_value_get(&reached), PROGRESS_SCALE);
}

static inline cJSON *parse_arena(struct arena *source, const struct gecko_process_options *options)
{
    struct text text = { 0 };
    stream_arena(source, options, &text);
    return parse_json(&text);
}

#endif
