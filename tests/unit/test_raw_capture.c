/* json.raw_capture and json.raw_records; daemon.capture.raw_arena; profctl.raw: a raw capture from
 * arenas to a file and back, and what is refused of damaged ones */
#include <check.h>
#include <cjson/cJSON.h>
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
#include "profctl/raw/raw_arena_file.h"
#include "profctl/raw/raw_lists.h"
#include "profctl/raw/raw_profile.h"

enum { CAPACITY = 8 * CHUNK_BYTES, MAIN = 0, MARKERS = 3 };

static struct arena arena;
static int capture_fd; /* a raw capture, with process 1, 2, which is void, and 3, unprofiled */
static uint8_t *capture;
static size_t capture_bytes;

/* --- A raw capture --- */

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

/* --- Reading it --- */

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

/* It is a whole one of what is left. */
static void check_rest(int fd)
{
    struct capture_result places;
    char *json = profile_of(fd, &places);
    cJSON *root = cJSON_Parse(json);
    ck_assert_ptr_nonnull(root);
    ck_assert_ptr_nonnull(cJSON_GetObjectItem(root, "processes"));
    cJSON_Delete(root);
    capture_result_free(&places);
    free(json);
}

/* What a survey of BYTES says, in one line; -EPROTO when it is refused, 1 when something is
 * missing, which becomes a profile of the rest. */
static int survey_bytes(const uint8_t *bytes, size_t count)
{
    struct raw_survey found;
    int fd = memfd_create("damaged", MFD_CLOEXEC);

    ck_assert_int_eq(file_range_write(fd, bytes, count, 0), 0);
    int error = raw_survey_make(&found, fd);
    bool is_partial = error == 0 && (found.is_cut || found.has_gaps);
    if (error == -EPROTO || found.is_cut)
        ck_assert_uint_gt(strlen(found.error), 0);
    ck_assert_ptr_null(strchr(found.error, '\n'));
    raw_survey_free(&found);
    if (is_partial)
        check_rest(fd);
    close(fd);
    return is_partial ? 1 : error;
}

START_TEST(it_becomes_a_profile_of_those_that_count)
{
    struct capture_result places;
    char *json = profile_of(capture_fd, &places);
    cJSON *root = cJSON_Parse(json);
    const cJSON *processes = cJSON_GetObjectItem(root, "processes");

    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(cJSON_GetArraySize(processes), 2);
    ck_assert_uint_eq(places.profile_place_count, 2);
    ck_assert_uint_eq(places.profile_places[0].pid, 101);
    ck_assert_uint_eq(places.profile_places[1].pid, 103);
    ck_assert_int_eq(json[places.profile_places[1].start], '{');
    ck_assert_str_eq(places.missing, "");
    ck_assert_ptr_nonnull(strstr(json, "some title"));
    ck_assert_ptr_nonnull(strstr(json, "it was not to be"));
    cJSON_Delete(root);
    capture_result_free(&places);
    free(json);
}
END_TEST

START_TEST(it_becomes_the_same_twice)
{
    struct capture_result places;
    char *first = profile_of(capture_fd, &places);
    capture_result_free(&places);
    char *second = profile_of(capture_fd, &places);
    capture_result_free(&places);

    ck_assert_str_eq(first, second);
    free(first);
    free(second);
}
END_TEST

/* Before the first process is whole, nothing is. */
START_TEST(one_that_is_cut_anywhere_is_read_up_to_there)
{
    int before = -EPROTO;
    for (size_t count = 0; count < capture_bytes; count++) {
        int found = survey_bytes(capture, count);
        ck_assert_msg(found == before || (found == 1 && before == -EPROTO), "cut at byte %zu",
                      count);
        before = found;
    }
    ck_assert_int_eq(before, 1);
    ck_assert_int_eq(survey_bytes(capture, capture_bytes), 0);
}
END_TEST

START_TEST(one_that_is_changed_anywhere_is_not_taken_for_whole)
{
    for (size_t at = 0; at < capture_bytes; at++) {
        uint8_t bit = (uint8_t)(1 << at % 8);
        capture[at] ^= bit;
        ck_assert_msg(survey_bytes(capture, capture_bytes) != 0, "changed at byte %zu", at);
        capture[at] ^= bit;
    }
}
END_TEST

START_TEST(what_stands_behind_the_end_is_refused)
{
    uint8_t *longer = calloc(1, capture_bytes + 1);

    memcpy(longer, capture, capture_bytes);
    ck_assert_int_eq(survey_bytes(longer, capture_bytes + 1), -EPROTO);
    free(longer);
}
END_TEST

/* --- Those that somebody made up: all checks are right --- */

/* Changes a byte of the contents of the NUMBER-th record of KIND. */
static void forge_byte(enum raw_kind wanted, size_t at, uint8_t value)
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

static int make_profile(void)
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

START_TEST(a_verdict_that_is_none_is_refused)
{
    forge_byte(RAW_PROCESS, offsetof(struct raw_process, verdict), 200);
    ck_assert_int_eq(make_profile(), -EPROTO);
}
END_TEST

START_TEST(strings_that_are_longer_than_their_record_are_refused)
{
    forge_byte(RAW_PROCESS, offsetof(struct raw_process, title_bytes), 250);
    ck_assert_int_eq(make_profile(), -EPROTO);
}
END_TEST

START_TEST(a_chunk_that_no_arena_has_is_refused)
{
    forge_byte(RAW_CHUNK, offsetof(struct raw_chunk, slot) + 5, 1);
    ck_assert_int_eq(make_profile(), -EPROTO);
}
END_TEST

/* Where a chunk lay means nothing: a hole of a million of them is none to look through. */
START_TEST(chunks_are_put_side_by_side)
{
    static const uint64_t slots[] = { ARENA_MAX_CHUNKS - 1, 7 };
    uint8_t contents[sizeof(struct raw_chunk) + CHUNK_HEADER_BYTES] = { 0 };
    const struct raw_view record = { .kind = RAW_CHUNK,
                                     .bytes = contents,
                                     .count = sizeof(contents) };
    struct raw_arena_file file;
    ck_assert_int_eq(raw_arena_file_open(&file), 0);
    for (size_t i = 0; i < 2; i++) {
        memcpy(contents, &slots[i], sizeof(slots[i]));
        ck_assert_int_eq(raw_arena_file_add(&file, &record), 0);
    }
    ck_assert_uint_eq(file.slot_count, 2);
    raw_arena_file_close(&file);
}
END_TEST

START_TEST(an_end_of_another_process_is_refused)
{
    forge_byte(RAW_PROCESS_END, 0, 9);
    ck_assert_int_eq(make_profile(), -EPROTO);
}
END_TEST

START_TEST(a_dictionary_of_another_length_is_refused)
{
    forge_byte(RAW_FRONT, offsetof(struct raw_front, dictionary_bytes) + 1, 77);
    ck_assert_int_eq(make_profile(), -EPROTO);
}
END_TEST

/* What lies between records that are good costs one process. */
START_TEST(a_process_with_damaged_records_is_left_out_and_named)
{
    struct capture_result places;
    size_t offset = sizeof(struct raw_file);
    struct raw_record record = { 0 };

    for (; record.kind != RAW_CHUNK; offset += sizeof(record) + record.bytes)
        memcpy(&record, capture + offset, sizeof(record));
    capture[offset - 1] ^= 1;
    ck_assert_int_eq(file_range_write(capture_fd, capture, capture_bytes, 0), 0);
    char *json = profile_of(capture_fd, &places);
    ck_assert_uint_eq(places.profile_place_count, 1);
    ck_assert_uint_eq(places.profile_places[0].pid, 103);
    ck_assert_ptr_nonnull(strstr(places.missing, "101"));
    capture_result_free(&places);
    free(json);
}
END_TEST

/* Where the first record of KIND stands. */
static size_t find_record(enum raw_kind kind)
{
    size_t offset = sizeof(struct raw_file);
    struct raw_record record;

    for (;; offset += sizeof(record) + record.bytes) {
        ck_assert_uint_lt(offset, capture_bytes);
        memcpy(&record, capture + offset, sizeof(record));
        if (record.kind == kind)
            return offset;
    }
}

/* Whether what is in the file and not void is COUNT processes with PIDS, and MISSING is told. */
static void expect_processes(size_t count, const uint64_t *pids, const char *missing)
{
    struct capture_result places;
    char *json = profile_of(capture_fd, &places);
    cJSON *root = cJSON_Parse(json);

    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "processes")), (int)count);
    ck_assert_uint_eq(places.profile_place_count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(places.profile_places[i].pid, pids[i]);
    ck_assert_msg(strstr(places.missing, missing) != NULL, "%s", places.missing);
    cJSON_Delete(root);
    capture_result_free(&places);
    free(json);
}

/* Kind, check, length or contents of the first record of KIND: one bit after the other. */
static void damage_each_bit(enum raw_kind kind, size_t count, const uint64_t *pids,
                            const char *missing)
{
    size_t offset = find_record(kind);

    for (size_t bit = 0; bit < (sizeof(struct raw_record) + 1) * 8; bit++) {
        capture[offset + bit / 8] ^= (uint8_t)(1 << bit % 8);
        ck_assert_int_eq(file_range_write(capture_fd, capture, capture_bytes, 0), 0);
        expect_processes(count, pids, missing);
        capture[offset + bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

START_TEST(one_bit_costs_what_it_belongs_to)
{
    static const uint64_t both[] = { 101, 103 }, all[] = { 101, 102, 103 };

    damage_each_bit(RAW_HEAD, 2, both, "bytes from byte 16 on");
    damage_each_bit(RAW_PROCESS, 1, both + 1, "bytes from byte ");
    damage_each_bit(RAW_CHUNK, 1, both + 1, "101 made");
    damage_each_bit(RAW_FRONT, 1, both + 1, "101 made");
    damage_each_bit(RAW_PROCESS_END, 1, both + 1, "101 made");
    damage_each_bit(RAW_VOID, 3, all, "24 bytes from byte ");
    damage_each_bit(RAW_UNPROFILED, 1, both, "bytes from byte ");
    damage_each_bit(RAW_TAIL, 2, both, "bytes from byte ");
}
END_TEST

START_TEST(without_its_end_it_is_cut)
{
    struct raw_survey found;
    size_t offset = find_record(RAW_END);

    for (size_t at = offset; at < capture_bytes; at++) {
        capture[at] ^= 1;
        ck_assert_int_eq(file_range_write(capture_fd, capture, capture_bytes, 0), 0);
        ck_assert_int_eq(raw_survey_make(&found, capture_fd), 0);
        ck_assert(found.is_cut);
        ck_assert_uint_eq(found.end, offset);
        raw_survey_free(&found);
        capture[at] ^= 1;
    }
}
END_TEST

/* profd copied it once more, and what took the first copy back is lost. */
START_TEST(a_process_that_is_there_twice_counts_once)
{
    static const uint64_t pids[] = { 102, 103 };

    forge_byte(RAW_PROCESS, offsetof(struct raw_process, pid), 102);
    capture[find_record(RAW_VOID) + sizeof(struct raw_record)] ^= 1;
    ck_assert_int_eq(file_range_write(capture_fd, capture, capture_bytes, 0), 0);
    expect_processes(2, pids, "102 made");
}
END_TEST

/* It costs the others nothing. */
START_TEST(an_arena_that_is_none_is_left_out_and_named)
{
    struct capture_result places;

    forge_byte(RAW_FRONT, sizeof(struct raw_front) + offsetof(struct arena_header, magic), 0);
    char *json = profile_of(capture_fd, &places);
    ck_assert_uint_eq(places.profile_place_count, 1);
    ck_assert_ptr_nonnull(strstr(places.missing, "101"));
    cJSON *root = cJSON_Parse(json);
    ck_assert_ptr_nonnull(root);
    cJSON_Delete(root);
    capture_result_free(&places);
    free(json);
}
END_TEST

/* Whatever is in header, dictionary and chunks: a profile comes out, or somebody is left out. */
START_TEST(whatever_is_in_an_arena_does_no_harm)
{
    uint32_t state = 1;

    for (int i = 0; i < 300; i++) {
        state = state * 1664525 + 1013904223;
        enum raw_kind kind = state >> 31 ? RAW_FRONT : RAW_CHUNK;
        size_t start = kind == RAW_FRONT ? sizeof(struct raw_front) : sizeof(struct raw_chunk);
        size_t bytes = kind == RAW_FRONT ? sizeof(struct arena_header) : CHUNK_HEADER_BYTES;
        forge_byte(kind, start + (state >> 8) % bytes, (uint8_t)(state >> 3));
        ck_assert_int_eq(make_profile(), 0);
    }
}
END_TEST

/* --- Copying from an arena --- */

START_TEST(what_is_no_arena_is_not_copied)
{
    int fd = memfd_create("nothing", MFD_CLOEXEC), null_fd = memfd_create("out", MFD_CLOEXEC);
    const struct raw_arena source = { .fd = fd };
    struct raw_out out;
    bool is_output;

    ck_assert_int_eq(raw_out_init(&out, json_sink_fd, &null_fd), 0);
    ck_assert_int_lt(raw_arena_copy(&source, &out, &is_output), 0);
    ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
    ck_assert_int_eq(raw_arena_copy(&source, &out, &is_output), -EPROTO);
    ck_assert(!is_output);
    raw_out_fini(&out);
    close(fd);
    close(null_fd);
}
END_TEST

static int refuse_all(void *context, const char *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    return -ENOSPC;
}

START_TEST(an_output_that_is_full_is_told_from_a_bad_arena)
{
    const struct raw_arena source = { .fd = arena.fd };
    struct raw_out out;
    bool is_output;
    int error = 0;

    ck_assert_int_eq(raw_out_init(&out, refuse_all, NULL), 0);
    while (error == 0) /* until a batch is full */
        error = raw_arena_copy(&source, &out, &is_output);
    ck_assert_int_eq(error, -ENOSPC);
    ck_assert(is_output);
    raw_out_fini(&out);
}
END_TEST

/* --- Facts --- */

START_TEST(facts_come_back_as_they_were)
{
    static uint8_t bytes[RAW_PROCESS_BYTES];
    static struct raw_process_texts texts;
    struct raw_process_facts facts = facts_of(7, 42), back;

    facts.may_be_left_out = true;
    facts.options.later_images = 2;
    facts.options.process_start_ns = 99;
    facts.options.cpu_time = (struct process_cpu_time){ 5, CPU_TIME_UNKNOWN, CPU_TIME_TO_EXEC };
    facts.options.thread_filters = "worker,io";
    facts.unprofiled.command_line = "other\0-x";
    facts.unprofiled.command_line_bytes = 8;
    size_t count = raw_process_put(&facts, bytes);
    ck_assert_int_eq(raw_process_get(bytes, count, &texts, &back), 0);
    ck_assert_uint_eq(back.id, 7);
    ck_assert_int_eq(back.pid, 42);
    ck_assert(back.may_be_left_out);
    ck_assert_uint_eq(back.options.later_images, 2);
    ck_assert_uint_eq(back.options.process_start_ns, 99);
    ck_assert_uint_eq(back.options.end_ns, facts.options.end_ns);
    ck_assert_int_eq(back.options.code, 3);
    ck_assert_uint_eq(back.options.cpu_time.before_ns, CPU_TIME_UNKNOWN);
    ck_assert_int_eq(back.options.cpu_time.end, CPU_TIME_TO_EXEC);
    ck_assert_str_eq(back.options.thread_filters, "worker,io");
    ck_assert_str_eq(back.options.title, "some title");
    ck_assert_ptr_null(back.options.reason);
    ck_assert_str_eq(back.unprofiled.executable, "/bin/other");
    ck_assert_uint_eq(back.unprofiled.command_line_bytes, 8);
    ck_assert_mem_eq(back.unprofiled.command_line, "other\0-x", 8);
    ck_assert_int_eq(raw_process_get(bytes, count - 1, &texts, &back), -EPROTO);
}
END_TEST

static TCase *make_case(void)
{
    TCase *tcase = tcase_create("raw capture");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, it_becomes_a_profile_of_those_that_count);
    tcase_add_test(tcase, it_becomes_the_same_twice);
    tcase_add_test(tcase, one_that_is_cut_anywhere_is_read_up_to_there);
    tcase_add_test(tcase, one_that_is_changed_anywhere_is_not_taken_for_whole);
    tcase_add_test(tcase, what_stands_behind_the_end_is_refused);
    tcase_add_test(tcase, a_verdict_that_is_none_is_refused);
    tcase_add_test(tcase, strings_that_are_longer_than_their_record_are_refused);
    tcase_add_test(tcase, a_chunk_that_no_arena_has_is_refused);
    tcase_add_test(tcase, chunks_are_put_side_by_side);
    tcase_add_test(tcase, an_end_of_another_process_is_refused);
    tcase_add_test(tcase, a_dictionary_of_another_length_is_refused);
    tcase_add_test(tcase, an_arena_that_is_none_is_left_out_and_named);
    tcase_add_test(tcase, a_process_with_damaged_records_is_left_out_and_named);
    tcase_add_test(tcase, one_bit_costs_what_it_belongs_to);
    tcase_add_test(tcase, without_its_end_it_is_cut);
    tcase_add_test(tcase, a_process_that_is_there_twice_counts_once);
    tcase_add_test(tcase, whatever_is_in_an_arena_does_no_harm);
    tcase_add_test(tcase, what_is_no_arena_is_not_copied);
    tcase_add_test(tcase, an_output_that_is_full_is_told_from_a_bad_arena);
    tcase_add_test(tcase, facts_come_back_as_they_were);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("raw_capture");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, make_case());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
