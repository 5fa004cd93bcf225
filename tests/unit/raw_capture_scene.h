/* A raw capture with a process, one that is void and one that was not profiled, and what is read of
 * it. */
#ifndef TESTS_UNIT_RAW_CAPTURE_SCENE_H
#define TESTS_UNIT_RAW_CAPTURE_SCENE_H

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/chunk_manager.h"
#include "buffer/chunk_writer.h"
#include "buffer/dictionary.h"
#include "buffer/file_range.h"
#include "daemon/capture/raw_arena.h"
#include "json/raw_records.h"
#include "profctl/raw/raw_lists.h"
#include "profctl/raw/raw_profile.h"

enum { CAPACITY = 8 * CHUNK_BYTES, MAIN = 0, MARKERS = 3 };

static struct arena arena;
static int capture_fd; /* a raw capture, with process 1, 2, which is void, and 3, unprofiled */
static uint8_t *capture;
static size_t capture_bytes;

static void fill_arena(void)
{
    static const uint8_t entry[] = { ENTRY_TEXT_MARKER, 1, 1, 't', 'e', 'x', 't' };
    struct dictionary dictionary;
    struct chunk_manager *manager;
    struct chunk_writer writer;

    ck_assert_int_eq(arena_create(CAPACITY, &arena), 0);
    atomic_store(&arena.header->generation, 1);
    dictionary_init(&dictionary, &arena);
    dictionary_put_process(&dictionary, 1, 2, 3, "/bin/program", "program", 7);
    dictionary_put_thread(&dictionary, MAIN, getpid(), true, 1, "main");
    ck_assert_int_eq(chunk_manager_create(&arena, 1, CAPACITY, &manager), 0);
    chunk_writer_init(&writer, manager, MAIN);
    ck_assert_int_eq(chunk_writer_refill(&writer, sizeof(entry)), 0);
    for (int i = 0; i < MARKERS; i++)
        ck_assert_int_eq(chunk_writer_put(&writer, entry, sizeof(entry)), 0);
    chunk_writer_finish(&writer);
    chunk_manager_destroy(manager);
}

static void put_text(enum raw_kind kind, const char *text)
{
    uint64_t bytes = strlen(text);
    int fd = memfd_create("text", MFD_CLOEXEC);
    char whole[256];

    ck_assert_int_eq(raw_text_begin(fd, kind == RAW_HEAD, &bytes), 0);
    ck_assert_int_eq(json_sink_fd(&fd, text, strlen(text)), 0);
    ck_assert_int_eq(raw_text_end(fd, kind, bytes), 0);
    ck_assert_int_eq(file_range_read(fd, whole, bytes, 0), 0);
    ck_assert_int_eq(json_sink_fd(&capture_fd, whole, bytes), 0);
    close(fd);
}

static struct raw_process_facts facts_of(uint64_t id, int32_t pid)
{
    return (struct raw_process_facts){
        .id = id,
        .pid = pid,
        .options = { .reference_ns = 1,
                     .reference_unix_ns = 1700000000000000000,
                     .capture_ns = 1000000000,
                     .verdict = VERDICT_EXITED,
                     .outcome = VERDICT_EXITED,
                     .code = 3,
                     .end_ns = 900000000,
                     .title = "some title" },
        .unprofiled = { .pid = pid, .parent_pid = 1, .start_ns = 5, .executable = "/bin/other" },
    };
}

static void put_process(struct raw_out *out, uint64_t id, int32_t pid)
{
    const struct raw_process_facts facts = facts_of(id, pid);
    const struct raw_process_end end = { id, 1000000000 };
    const struct raw_arena source = { .fd = arena.fd };
    bool is_output;

    ck_assert_int_eq(raw_out_put_process(out, RAW_PROCESS, &facts), 0);
    ck_assert_int_eq(raw_arena_copy(&source, out, &is_output), 0);
    memcpy(raw_out_room(out, sizeof(end)), &end, sizeof(end));
    ck_assert_int_eq(raw_out_put(out, RAW_PROCESS_END, sizeof(end)), 0);
}

static void put_void(struct raw_out *out, uint64_t id)
{
    memcpy(raw_out_room(out, sizeof(id)), &id, sizeof(id));
    ck_assert_int_eq(raw_out_put(out, RAW_VOID, sizeof(id)), 0);
}

static void put_unprofiled(struct raw_out *out, uint64_t id, int32_t pid)
{
    struct raw_process_facts facts = facts_of(id, pid);

    facts.options.verdict = VERDICT_NOT_PROFILED;
    facts.options.reason = "it was not to be";
    ck_assert_int_eq(raw_out_put_process(out, RAW_UNPROFILED, &facts), 0);
}

static void set_up(void)
{
    char error[RAW_ERROR_BYTES];
    struct raw_out out;

    fill_arena();
    capture_fd = memfd_create("capture", MFD_CLOEXEC);
    ck_assert_int_eq(raw_out_init(&out, json_sink_fd, &capture_fd), 0);
    put_text(RAW_HEAD, "{\"processes\":[");
    put_process(&out, 1, 101);
    put_process(&out, 2, 102);
    put_void(&out, 2);
    put_unprofiled(&out, 0, 103);
    ck_assert_int_eq(raw_out_flush(&out), 0);
    put_text(RAW_TAIL, "]}");
    raw_out_fini(&out);
    ck_assert_int_eq(raw_lists_add(capture_fd, error), 0);
    capture_bytes = (size_t)lseek(capture_fd, 0, SEEK_END);
    capture = malloc(capture_bytes);
    ck_assert_int_eq(file_range_read(capture_fd, capture, capture_bytes, 0), 0);
}

static void tear_down(void)
{
    free(capture);
    close(capture_fd);
    arena_destroy(&arena);
}

/* The JSON of the raw capture in FD, terminated and to be freed. */
static char *profile_of(int fd, struct capture_result *places)
{
    struct raw_survey found;
    struct raw_profile profile = { .fd = memfd_create("json", MFD_CLOEXEC) };

    ck_assert_int_eq(raw_survey_make(&found, fd), 0);
    ck_assert_int_eq(raw_profile_write(fd, &found, &profile), 0);
    size_t bytes = (size_t)lseek(profile.fd, 0, SEEK_END);
    char *json = calloc(1, bytes + 1);
    ck_assert_int_eq(file_range_read(profile.fd, json, bytes, 0), 0);
    close(profile.fd);
    raw_survey_free(&found);
    *places = profile.places;
    return json;
}

/* Changes a byte of the contents of the NUMBER-th record of KIND. */
static inline void forge_byte(enum raw_kind wanted, size_t at, uint8_t value)
{
    size_t offset = sizeof(struct raw_file);
    struct raw_record record;

    for (;; offset += sizeof(record) + record.bytes) {
        ck_assert_uint_lt(offset, capture_bytes);
        memcpy(&record, capture + offset, sizeof(record));
        if (record.kind == wanted)
            break;
    }
    uint8_t *contents = capture + offset + sizeof(record);
    ck_assert_uint_lt(at, record.bytes);
    contents[at] = value;
    record.check = raw_check(record.kind, contents, record.bytes);
    memcpy(capture + offset, &record, sizeof(record));
    ck_assert_int_eq(file_range_write(capture_fd, capture, capture_bytes, 0), 0);
}

static inline int make_profile(void)
{
    struct raw_survey found;
    struct raw_profile profile = { .fd = memfd_create("json", MFD_CLOEXEC) };

    int error = raw_survey_make(&found, capture_fd);
    if (error == 0) {
        error = raw_profile_write(capture_fd, &found, &profile);
        ck_assert_int_eq(error == -EPROTO, profile.error[0] != '\0');
        capture_result_free(&profile.places);
    }
    raw_survey_free(&found);
    close(profile.fd);
    return error;
}

#endif
