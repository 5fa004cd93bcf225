/* json.raw_records, daemon.raw_arena, profctl.raw: a raw capture from arenas to a file and back. */
#include <cjson/cJSON.h>

#include "daemon/capture/raw_arena.h"
#include "profctl/raw/raw_profile.h"
#include "tests/unit/raw_capture_scene.h"
#include "tests/unit/run_suite.h"

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
    tcase_add_test(tcase, what_is_no_arena_is_not_copied);
    tcase_add_test(tcase, an_output_that_is_full_is_told_from_a_bad_arena);
    tcase_add_test(tcase, facts_come_back_as_they_were);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("profctl.raw_capture");

    suite_add_tcase(suite, make_case());
    return run_suite(suite);
}
