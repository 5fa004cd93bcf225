/* profctl.raw: raw captures that somebody made up, whose checks are all right. */
#include "daemon/capture/raw_arena.h"
#include "profctl/raw/raw_arena_file.h"
#include "tests/unit/raw_capture_scene.h"
#include "tests/unit/run_suite.h"

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

static TCase *make_case(void)
{
    TCase *tcase = tcase_create("raw capture");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_verdict_that_is_none_is_refused);
    tcase_add_test(tcase, strings_that_are_longer_than_their_record_are_refused);
    tcase_add_test(tcase, a_chunk_that_no_arena_has_is_refused);
    tcase_add_test(tcase, chunks_are_put_side_by_side);
    tcase_add_test(tcase, an_end_of_another_process_is_refused);
    tcase_add_test(tcase, a_dictionary_of_another_length_is_refused);
    tcase_add_test(tcase, a_process_with_damaged_records_is_left_out_and_named);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("profctl.raw_forgery");

    suite_add_tcase(suite, make_case());
    return run_suite(suite);
}
