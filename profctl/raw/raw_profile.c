#include "profctl/raw/raw_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/json_writer.h"
#include "profctl/capture/profile_places.h"
#include "profctl/raw/raw_arena_file.h"
#include "profctl/raw/raw_root.h"

/* What is being made. */
struct making {
    const struct raw_survey *survey;
    struct raw_profile *profile;
    uint64_t written; /* bytes of the output that stay */
    bool has_head, has_tail, has_element;
    /* The process at hand. */
    struct raw_process_facts facts;
    struct raw_process_texts texts;
    struct raw_arena_file arena;
    bool is_void;
    /* Of the last one, for an end that is missing. */
    uint64_t reference_ns, reference_unix_ns, capture_ns;
};

/* --- The output --- */

static int put(struct making *making, const void *bytes, size_t count)
{
    int error = json_sink_fd(&making->profile->fd, bytes, count);

    making->written += count;
    return error;
}

/* Takes back what was written of a process that cannot be read. */
static int take_back(struct making *making)
{
    return ftruncate(making->profile->fd, (off_t)making->written) == 0 &&
                   lseek(making->profile->fd, (off_t)making->written, SEEK_SET) >= 0
               ? 0
               : -errno;
}

static int add_place(struct making *making, uint64_t start, uint64_t bytes)
{
    struct capture_result *result = &making->profile->places;
    size_t count = result->profile_place_count;

    if ((count & (count - 1)) == 0) {
        void *grown = reallocarray(result->profile_places, count == 0 ? 1 : 2 * count,
                                   sizeof(*result->profile_places));
        if (grown == NULL)
            return -ENOMEM;
        result->profile_places = grown;
    }
    result->profile_places[result->profile_place_count++] =
        (struct message_profile_place){ start, bytes, (uint64_t)making->facts.pid };
    result->processes++;
    return 0;
}

static void tell_left_out(struct making *making)
{
    const struct message_profile_place place = { .pid = (uint64_t)making->facts.pid };

    profile_place_tell(&place, making->profile->places.missing,
                       sizeof(making->profile->places.missing));
}

/* --- An element --- */

/* What is in READER, or, when that is NULL, what is known of the process from outside. */
static int stream(struct making *making, struct arena_reader *reader, struct json_writer *writer,
                  struct failure_latch *latch)
{
    const struct raw_process_facts *facts = &making->facts;
    int error = reader != NULL
                    ? gecko_stream_process(reader, &facts->options, writer, NULL, latch)
                    : gecko_stream_unprofiled(&facts->unprofiled, &facts->options, writer, latch);

    return error == 0 ? json_writer_flush(writer) : error;
}

static bool is_damage(int error)
{
    return error == -EPROTO || error == -EIO || error == -E2BIG || error == -EINVAL;
}

/* The element of the process at hand. One that is damaged costs the others nothing. */
static int add_element(struct making *making, struct arena_reader *reader)
{
    struct failure_latch latch;
    struct json_writer writer;
    uint64_t start = making->written + (making->has_element ? 1 : 0);
    int error = making->has_element ? json_sink_fd(&making->profile->fd, ",", 1) : 0;

    if (error < 0)
        return error;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_fd, &making->profile->fd, &latch);
    error = stream(making, reader, &writer, &latch);
    uint64_t bytes = json_writer_bytes(&writer);
    json_writer_fini(&writer);
    if (is_damage(error)) {
        tell_left_out(making);
        return take_back(making);
    }
    if (error < 0)
        return error;
    making->written = start + bytes;
    making->has_element = true;
    return add_place(making, start, bytes);
}

static int end_process(struct making *making, const struct raw_view *record)
{
    struct arena_reader *reader = NULL;
    struct raw_process_end end;

    memcpy(&end, record->bytes, sizeof(end));
    making->facts.options.capture_ns = making->capture_ns = end.capture_ns;
    int error = arena_reader_open(making->arena.fd, &reader);
    if (is_damage(error)) {
        tell_left_out(making);
        return 0;
    }
    if (error == 0 && (!making->facts.may_be_left_out || arena_reader_holds_recordings(reader)))
        error = add_element(making, reader);
    arena_reader_close(reader);
    return error;
}

/* --- Records --- */

static int begin_process(struct making *making, const struct raw_view *record)
{
    int error = raw_process_get(record->bytes, record->count, &making->texts, &making->facts);

    if (error < 0) {
        snprintf(making->profile->error, sizeof(making->profile->error),
                 "the process record at byte %" PRIu64 " is invalid", record->offset);
        return error;
    }
    making->is_void = !raw_survey_has(making->survey, making->facts.id);
    making->reference_ns = making->facts.options.reference_ns;
    making->reference_unix_ns = making->facts.options.reference_unix_ns;
    if (raw_survey_is_damaged(making->survey, making->facts.id))
        tell_left_out(making);
    if (record->kind == RAW_UNPROFILED)
        return add_element(making, NULL);
    raw_arena_file_close(&making->arena);
    return making->is_void ? 0 : raw_arena_file_open(&making->arena);
}

static int add_to_arena(struct making *making, const struct raw_view *record)
{
    int error = raw_arena_file_add(&making->arena, record);

    if (error == -EPROTO)
        snprintf(making->profile->error, sizeof(making->profile->error),
                 "the chunk at byte %" PRIu64 " is invalid", record->offset);
    return error;
}

static int add_record(struct making *making, const struct raw_view *record)
{
    switch (record->kind) {
    case RAW_HEAD:
    case RAW_TAIL:
        making->has_tail = record->kind == RAW_TAIL;
        return put(making, record->bytes, record->count);
    case RAW_PROCESS:
    case RAW_UNPROFILED:
        return begin_process(making, record);
    case RAW_CHUNK:
    case RAW_FRONT:
        return making->is_void ? 0 : add_to_arena(making, record);
    case RAW_PROCESS_END:
        return making->is_void ? 0 : end_process(making, record);
    default:
        return 0;
    }
}

/* --- What is missing --- */

/* What stands before the first process, or with IS_END behind the last one. */
static int put_root(struct making *making, bool is_end)
{
    struct failure_latch latch;
    struct json_writer writer;
    const struct raw_root root = { making->reference_ns, making->reference_unix_ns,
                                   making->capture_ns };

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_fd, &making->profile->fd, &latch);
    if (is_end)
        raw_root_end(&writer, &root);
    else
        raw_root_begin(&writer);
    int error = json_writer_flush(&writer);
    making->written += json_writer_bytes(&writer);
    json_writer_fini(&writer);
    return error;
}

/* A process that is lost is told by its id, where it begins. */
static int pass_gap(struct making *making, const struct raw_view *gap)
{
    char *missing = making->profile->places.missing;
    size_t used = strlen(missing);

    if (!gap->is_of_process)
        snprintf(missing + used, sizeof(making->profile->places.missing) - used,
                 "%s%zu bytes from byte %" PRIu64 " on", used > 0 ? "; " : "", gap->count,
                 gap->offset);
    return making->has_head ? 0 : put_root(making, false);
}

/* All records, or those that are whole. */
static int add_records(struct making *making, struct raw_reader *reader)
{
    struct raw_view record;
    int more = 1;

    while (more > 0 && !(making->survey->is_cut && reader->offset >= making->survey->end)) {
        more = raw_reader_next(reader, &record);
        int error = more <= 0           ? more
                    : record.is_damaged ? pass_gap(making, &record)
                                        : add_record(making, &record);
        if (error < 0)
            return error;
        making->has_head = true;
    }
    return making->has_tail ? 0 : put_root(making, true);
}

int raw_profile_write(int fd, const struct raw_survey *survey, struct raw_profile *profile)
{
    struct making *making = calloc(1, sizeof(*making));
    struct raw_reader reader;

    profile->places = (struct capture_result){ .may_be_empty = survey->is_filtered };
    profile->error[0] = '\0';
    if (making == NULL)
        return -ENOMEM;
    making->survey = survey;
    making->profile = profile;
    making->arena.fd = -1;
    int error = raw_reader_init(&reader, fd);
    reader.passes_damage = true;
    if (error == 0)
        error = add_records(making, &reader);
    if (reader.error[0] != '\0')
        memcpy(profile->error, reader.error, sizeof(profile->error));
    raw_reader_fini(&reader);
    raw_arena_file_close(&making->arena);
    free(making);
    return error;
}
