/* profctl.category_lists: lists of several processes become one. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/naming/symbolicate.h"
#include "profctl/tables/category_lists.h"
#include "tests/unit/run_suite.h"

#define OTHER "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}"
#define CACHE "{\"name\":\"Cache\",\"color\":\"red\",\"subcategories\":[\"Other\",\"Hit\"]}"
#define DATABASE                                                                                   \
    "{\"name\":\"Database\",\"color\":\"orange\",\"subcategories\":[\"Other\",\"Query\"]}"
/* The same category: another colour, another order, and a part of its own. */
#define DATABASE_AGAIN                                                                             \
    "{\"name\":\"Database\",\"color\":\"blue\",\"subcategories\":[\"Other\",\"Commit\",\"Query\"]" \
    "}"
#define DATABASE_OF_ALL                                                                            \
    "{\"name\":\"Database\",\"color\":\"orange\","                                                 \
    "\"subcategories\":[\"Other\",\"Query\",\"Commit\"]}"
#define FIRST_LIST  "[" OTHER "," DATABASE "]"
#define SECOND_LIST "[" OTHER "," CACHE "," DATABASE_AGAIN "]"
#define LIST_OF_ALL "[" OTHER "," DATABASE_OF_ALL "," CACHE "]"

static struct category_lists lists;
static char text[64 * 1024];

static void set_up(void)
{
    memset(&lists, 0, sizeof(lists));
    text[0] = '\0';
}

static void tear_down(void)
{
    category_lists_free(&lists);
}

static int append_text(void *context, const char *bytes, size_t n)
{
    strncat(context, bytes, n);
    return 0;
}

static int read_list(const char *list)
{
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open_memory(list, strlen(list), &reader), 0);
    int error = category_lists_read(&lists, reader);
    json_reader_close(reader);
    return error;
}

static const char *list_of_all(void)
{
    struct failure_latch latch;
    struct json_writer writer;
    text[0] = '\0';
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, text, &latch);
    category_lists_write(&lists, &writer);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    json_writer_fini(&writer);
    return text;
}

static void assert_mapped(uint32_t category, uint32_t subcategory, uint32_t new_category,
                          uint32_t new_subcategory)
{
    ck_assert_int_eq(category_lists_map(&lists, &category, &subcategory), 0);
    ck_assert_uint_eq(category, new_category);
    ck_assert_uint_eq(subcategory, new_subcategory);
}

START_TEST(names_are_brought_together)
{
    ck_assert_int_eq(read_list(FIRST_LIST), 0);
    assert_mapped(1, 1, 1, 1);
    ck_assert_int_eq(read_list(SECOND_LIST), 0);
    ck_assert_str_eq(list_of_all(), LIST_OF_ALL);
    assert_mapped(0, 0, 0, 0);
    assert_mapped(1, 1, 2, 1);
    assert_mapped(2, 0, 1, 0);
    assert_mapped(2, 1, 1, 2);
    assert_mapped(2, 2, 1, 1);
}
END_TEST

START_TEST(a_number_that_is_not_in_the_list_is_refused)
{
    uint32_t category = 2, subcategory = 0;
    ck_assert_int_eq(read_list(FIRST_LIST), 0);
    ck_assert_int_eq(category_lists_map(&lists, &category, &subcategory), -EPROTO);
    category = 1;
    subcategory = 2;
    ck_assert_int_eq(category_lists_map(&lists, &category, &subcategory), -EPROTO);
}
END_TEST

START_TEST(a_process_without_a_list_keeps_its_numbers)
{
    ck_assert_int_eq(read_list(FIRST_LIST), 0);
    category_lists_forget_process(&lists);
    assert_mapped(17, 4, 17, 4);
    ck_assert_str_eq(list_of_all(), FIRST_LIST);
}
END_TEST

START_TEST(what_is_no_list_is_refused)
{
    static const char *const bad[] = { "{}",
                                       "[1]",
                                       "[{\"color\":\"red\",\"subcategories\":[\"Other\"]}]",
                                       "[{\"name\":1}]",
                                       "[{\"name\":\"a\",\"subcategories\":[1]}]",
                                       "[{\"name\":\"a\",\"subcategories\":{}}]",
                                       "[{\"name\":\"a\"",
                                       "" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(read_list(bad[i]) < 0, "%s", bad[i]);
}
END_TEST

/* --- In a capture --- */

#define PROCESS(LIST, FRAME, CATEGORY)                                                             \
    "{\"meta\":{\"version\":36,\"categories\":" LIST "},\"libs\":[],\"threads\":[{\"pid\":1,"      \
    "\"stringTable\":[\"label\"],\"frameTable\":{\"schema\":{\"location\":0,"                      \
    "\"relevantForJS\":1,\"innerWindowID\":2,\"implementation\":3,\"line\":4,\"column\":5,"        \
    "\"category\":6,\"subcategory\":7},\"data\":[[0,false,null,null,null,null," FRAME "]]},"       \
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"                  \
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,1]]},\"markers\":{\"schema\":{" \
    "\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},\"data\":[["  \
    "0,1,0,0," CATEGORY ",null]]}}]}"

/* A capture of two processes, and where they are. */
#define BEGINNING "{\"libs\":[],\"threads\":[],\"processes\":["
#define FIRST     PROCESS(FIRST_LIST, "1,1", "1")
#define SECOND    PROCESS(SECOND_LIST, "2,1", "1")
#define ENDING    "],\"meta\":{\"version\":36,\"categories\":[" OTHER "]}}"

static int rewrite_capture(const char *capture, struct category_lists *known)
{
    struct symbolicate_events events = { .categories = known };
    struct capture_counts counts;
    struct json_reader *reader;
    struct failure_latch latch;
    struct json_writer writer;
    text[0] = '\0';
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, text, &latch);
    ck_assert_int_eq(json_reader_open_memory(capture, strlen(capture), &reader), 0);
    int error = symbolicate_profile(reader, &writer, NULL, &counts, &events);
    if (error == 0)
        error = json_writer_flush(&writer);
    json_writer_fini(&writer);
    json_reader_close(reader);
    return error;
}

static int make_file(const char *bytes)
{
    char path[] = "/tmp/category-lists-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    unlink(path);
    ck_assert_int_eq((int)write(fd, bytes, strlen(bytes)), (int)strlen(bytes));
    return fd;
}

START_TEST(all_processes_of_a_capture_have_one_list)
{
    static const char capture[] = BEGINNING FIRST "," SECOND ENDING;
    int fd = make_file(capture);
    ck_assert_int_eq(category_lists_look_at(&lists, fd, strlen(BEGINNING), strlen(FIRST)), 0);
    ck_assert_int_eq(
        category_lists_look_at(&lists, fd, strlen(BEGINNING FIRST ","), strlen(SECOND)), 0);
    close(fd);
    ck_assert_int_eq(rewrite_capture(capture, &lists), 0);
    const char *wanted[] = {
        "\"categories\":" LIST_OF_ALL, "[0,false,null,null,null,null,1,1]", "[0,1,0,0,1,null]",
        "\"categories\":" LIST_OF_ALL, "[0,false,null,null,null,null,1,2]", "[0,1,0,0,2,null]",
        "\"categories\":" LIST_OF_ALL
    };
    const char *at = text;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        at = strstr(at, wanted[i]);
        ck_assert_msg(at != NULL, "no %zu: %s in %s", i, wanted[i], text);
        at += strlen(wanted[i]);
    }
}
END_TEST

START_TEST(a_damaged_profile_is_looked_at_as_far_as_it_goes)
{
    static const char cut[] = "{\"meta\":{\"version\":36,\"categories\":[" OTHER "," DATABASE ",{";
    int fd = make_file(cut);
    ck_assert_int_eq(category_lists_look_at(&lists, fd, 0, 1000), 0);
    ck_assert_int_eq(category_lists_look_at(&lists, fd, 5, 10), 0);
    ck_assert_int_eq(category_lists_look_at(&lists, fd, 5000, 0), 0);
    close(fd);
    ck_assert_str_eq(list_of_all(), FIRST_LIST);
}
END_TEST

START_TEST(a_capture_with_a_wrong_number_is_refused)
{
    ck_assert_int_eq(rewrite_capture(BEGINNING PROCESS(FIRST_LIST, "2,0", "1") ENDING, NULL),
                     -EPROTO);
    ck_assert_int_eq(rewrite_capture(BEGINNING PROCESS(FIRST_LIST, "1,2", "1") ENDING, NULL),
                     -EPROTO);
    ck_assert_int_eq(rewrite_capture(BEGINNING PROCESS(FIRST_LIST, "1,1", "2") ENDING, NULL),
                     -EPROTO);
    ck_assert_int_eq(rewrite_capture(BEGINNING PROCESS(FIRST_LIST, "1,1", "1") ENDING, NULL), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.category_lists");
    TCase *all = tcase_create("lists");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, names_are_brought_together);
    tcase_add_test(all, a_number_that_is_not_in_the_list_is_refused);
    tcase_add_test(all, a_process_without_a_list_keeps_its_numbers);
    tcase_add_test(all, what_is_no_list_is_refused);
    tcase_add_test(all, all_processes_of_a_capture_have_one_list);
    tcase_add_test(all, a_damaged_profile_is_looked_at_as_far_as_it_goes);
    tcase_add_test(all, a_capture_with_a_wrong_number_is_refused);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
