/* profctl.raw: what damage to a raw capture costs. */
#include <cjson/cJSON.h>

#include "daemon/capture/raw_arena.h"
#include "profctl/raw/raw_profile.h"
#include "tests/unit/raw_capture_scene.h"
#include "tests/unit/run_suite.h"

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

static TCase *make_case(void)
{
    TCase *tcase = tcase_create("raw capture");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, an_arena_that_is_none_is_left_out_and_named);
    tcase_add_test(tcase, one_bit_costs_what_it_belongs_to);
    tcase_add_test(tcase, without_its_end_it_is_cut);
    tcase_add_test(tcase, a_process_that_is_there_twice_counts_once);
    tcase_add_test(tcase, whatever_is_in_an_arena_does_no_harm);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("profctl.raw_damage");

    suite_add_tcase(suite, make_case());
    return run_suite(suite);
}
