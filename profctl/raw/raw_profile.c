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
struct profile_pass {
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

static int put_bytes(struct profile_pass *pass, const void *bytes, size_t count)
{
    int error = json_sink_fd(&pass->profile->fd, bytes, count);

    pass->written += count;
    return error;
}

/* Takes back what was written of a process that cannot be read. */
static int discard_process(struct profile_pass *pass)
{
    return ftruncate(pass->profile->fd, (off_t)pass->written) == 0 &&
                   lseek(pass->profile->fd, (off_t)pass->written, SEEK_SET) >= 0
               ? 0
               : -errno;
}

static int add_place(struct profile_pass *pass, uint64_t start, uint64_t bytes)
{
    struct capture_result *result = &pass->profile->places;
    size_t count = result->profile_place_count;

    if ((count & (count - 1)) == 0) {
        void *grown = reallocarray(result->profile_places, count == 0 ? 1 : 2 * count,
                                   sizeof(*result->profile_places));
        if (grown == NULL)
            return -ENOMEM;
        result->profile_places = grown;
    }
    result->profile_places[result->profile_place_count++] =
        (struct message_profile_place){ start, bytes, (uint64_t)pass->facts.pid };
    result->processes++;
    return 0;
}

static void tell_process_left_out(struct profile_pass *pass)
{
    const struct message_profile_place place = { .pid = (uint64_t)pass->facts.pid };

    profile_place_tell(&place, pass->profile->places.missing,
                       sizeof(pass->profile->places.missing));
}

/* --- An element --- */

/* What is in READER, or, when that is NULL, what is known of the process from outside. */
static int stream_process(struct profile_pass *pass, struct arena_reader *reader,
                          struct json_writer *writer, struct failure_latch *latch)
{
    const struct raw_process_facts *facts = &pass->facts;
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
static int add_element(struct profile_pass *pass, struct arena_reader *reader)
{
    struct failure_latch latch;
    struct json_writer writer;
    uint64_t start = pass->written + (pass->has_element ? 1 : 0);
    int error = pass->has_element ? json_sink_fd(&pass->profile->fd, ",", 1) : 0;

    if (error < 0)
        return error;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_fd, &pass->profile->fd, &latch);
    error = stream_process(pass, reader, &writer, &latch);
    uint64_t bytes = json_writer_bytes(&writer);
    json_writer_fini(&writer);
    if (is_damage(error)) {
        tell_process_left_out(pass);
        return discard_process(pass);
    }
    if (error < 0)
        return error;
    pass->written = start + bytes;
    pass->has_element = true;
    return add_place(pass, start, bytes);
}

static int end_process(struct profile_pass *pass, const struct raw_view *record)
{
    struct arena_reader *reader = NULL;
    struct raw_process_end end;

    memcpy(&end, record->bytes, sizeof(end));
    pass->facts.options.capture_ns = pass->capture_ns = end.capture_ns;
    int error = arena_reader_open(pass->arena.fd, &reader);
    if (is_damage(error)) {
        tell_process_left_out(pass);
        return 0;
    }
    if (error == 0 && (!pass->facts.may_be_left_out || arena_reader_holds_recordings(reader)))
        error = add_element(pass, reader);
    arena_reader_close(reader);
    return error;
}

/* --- Records --- */

static int begin_process(struct profile_pass *pass, const struct raw_view *record)
{
    int error = raw_process_get(record->bytes, record->count, &pass->texts, &pass->facts);

    if (error < 0) {
        snprintf(pass->profile->error, sizeof(pass->profile->error),
                 "the process record at byte %" PRIu64 " is invalid", record->offset);
        return error;
    }
    pass->is_void = !raw_survey_has(pass->survey, pass->facts.id);
    pass->reference_ns = pass->facts.options.reference_ns;
    pass->reference_unix_ns = pass->facts.options.reference_unix_ns;
    if (raw_survey_is_damaged(pass->survey, pass->facts.id))
        tell_process_left_out(pass);
    if (record->kind == RAW_UNPROFILED)
        return add_element(pass, NULL);
    raw_arena_file_close(&pass->arena);
    return pass->is_void ? 0 : raw_arena_file_open(&pass->arena);
}

static int add_to_arena(struct profile_pass *pass, const struct raw_view *record)
{
    int error = raw_arena_file_add(&pass->arena, record);

    if (error == -EPROTO)
        snprintf(pass->profile->error, sizeof(pass->profile->error),
                 "the chunk at byte %" PRIu64 " is invalid", record->offset);
    return error;
}

static int add_record(struct profile_pass *pass, const struct raw_view *record)
{
    switch (record->kind) {
    case RAW_HEAD:
    case RAW_TAIL:
        pass->has_tail = record->kind == RAW_TAIL;
        return put_bytes(pass, record->bytes, record->count);
    case RAW_PROCESS:
    case RAW_UNPROFILED:
        return begin_process(pass, record);
    case RAW_CHUNK:
    case RAW_FRONT:
        return pass->is_void ? 0 : add_to_arena(pass, record);
    case RAW_PROCESS_END:
        return pass->is_void ? 0 : end_process(pass, record);
    default:
        return 0;
    }
}

/* --- What is missing --- */

/* What stands before the first process, or with IS_END behind the last one. */
static int put_root(struct profile_pass *pass, bool is_end)
{
    struct failure_latch latch;
    struct json_writer writer;
    const struct raw_root root = { pass->reference_ns, pass->reference_unix_ns, pass->capture_ns };

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_fd, &pass->profile->fd, &latch);
    if (is_end)
        raw_root_end(&writer, &root);
    else
        raw_root_begin(&writer);
    int error = json_writer_flush(&writer);
    pass->written += json_writer_bytes(&writer);
    json_writer_fini(&writer);
    return error;
}

/* A process that is lost is told by its id, where it begins. */
static int pass_gap(struct profile_pass *pass, const struct raw_view *gap)
{
    char *missing = pass->profile->places.missing;
    size_t used = strlen(missing);

    if (!gap->is_of_process)
        snprintf(missing + used, sizeof(pass->profile->places.missing) - used,
                 "%s%zu bytes from byte %" PRIu64 " on", used > 0 ? "; " : "", gap->count,
                 gap->offset);
    return pass->has_head ? 0 : put_root(pass, false);
}

/* All records, or those that are whole. */
static int add_records(struct profile_pass *pass, struct raw_reader *reader)
{
    struct raw_view record;
    int more = 1;

    while (more > 0 && !(pass->survey->is_cut && reader->offset >= pass->survey->end)) {
        more = raw_reader_next(reader, &record);
        int error = more <= 0           ? more
                    : record.is_damaged ? pass_gap(pass, &record)
                                        : add_record(pass, &record);
        if (error < 0)
            return error;
        pass->has_head = true;
    }
    return pass->has_tail ? 0 : put_root(pass, true);
}

int raw_profile_write(int fd, const struct raw_survey *survey, struct raw_profile *profile)
{
    struct profile_pass *pass = calloc(1, sizeof(*pass));
    struct raw_reader reader;

    profile->places = (struct capture_result){ .may_be_empty = survey->is_filtered };
    profile->error[0] = '\0';
    if (pass == NULL)
        return -ENOMEM;
    pass->survey = survey;
    pass->profile = profile;
    pass->arena.fd = -1;
    int error = raw_reader_init(&reader, fd);
    reader.passes_damage = true;
    if (error == 0)
        error = add_records(pass, &reader);
    if (reader.error[0] != '\0')
        memcpy(profile->error, reader.error, sizeof(profile->error));
    raw_reader_fini(&reader);
    raw_arena_file_close(&pass->arena);
    free(pass);
    return error;
}
