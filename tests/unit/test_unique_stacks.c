/* json.unique_stacks */
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

#include "json/gecko/unique_stacks.h"
#include "tests/unit/run_suite.h"

static struct failure_latch latch;
static struct unique_strings strings;
static struct unique_stacks stacks;

static void set_up(void)
{
    failure_latch_init(&latch);
    unique_strings_init(&strings, &latch);
    unique_stacks_init(&stacks, &latch);
}

static void tear_down(void)
{
    unique_strings_fini(&strings);
    unique_stacks_fini(&stacks);
}

static uint32_t add_frame(char name)
{
    struct frame_key key = { .value = (uint64_t)name, .is_label = true };
    uint32_t index = unique_stacks_find_frame(&stacks, key);
    if (index != UNIQUE_NONE)
        return index;
    struct frame_details details = { .location = unique_strings_add(&strings, &name, 1) };
    return unique_stacks_add_frame(&stacks, key, &details);
}

/* The stack of the frames with these one-letter names, outermost first. */
static uint32_t add_stack(const char *names)
{
    uint32_t index = UNIQUE_NONE;
    for (; *names != '\0'; names++)
        index = unique_stacks_push(&stacks, index, add_frame(*names));
    return index;
}

static int append_text(void *context, const char *bytes, size_t n)
{
    strncat(context, bytes, n);
    return 0;
}

static cJSON *stream_table(void (*table)(const struct unique_stacks *, struct json_writer *))
{
    char text[1000] = "";
    struct json_writer writer;
    json_writer_init_sink(&writer, append_text, text, &latch);
    table(&stacks, &writer);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    json_writer_fini(&writer);
    cJSON *json = cJSON_Parse(text);
    ck_assert_msg(json != NULL, "%s", text);
    return json;
}

static void assert_data(cJSON *table, const char *expected)
{
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(table, "data"));
    ck_assert_str_eq(text, expected);
    cJSON_free(text);
    cJSON_Delete(table);
}

START_TEST(samples_share_their_common_callers)
{
    ck_assert_uint_eq(add_stack("ABC"), 2);
    ck_assert_uint_eq(add_stack("AB"), 1);
    ck_assert_uint_eq(add_stack("ABD"), 3);
    ck_assert_uint_eq(unique_strings_count(&strings), 4);
    ck_assert_uint_eq(unique_stacks_frame_count(&stacks), 4);
    assert_data(stream_table(unique_stacks_stream_stack_table), "[[null,0],[0,1],[1,2],[1,3]]");
    assert_data(stream_table(unique_stacks_stream_frame_table),
                "[[0,false,null,null,null,null,0,0],[1,false,null,null,null,null,0,0],"
                "[2,false,null,null,null,null,0,0],[3,false,null,null,null,null,0,0]]");
}
END_TEST

START_TEST(the_same_frame_under_another_caller_is_another_stack)
{
    ck_assert_uint_eq(add_stack("AB"), 1);
    ck_assert_uint_eq(add_stack("B"), 2);
    ck_assert_uint_eq(add_stack("BB"), 3);
    ck_assert_uint_eq(unique_stacks_frame_count(&stacks), 2);
}
END_TEST

START_TEST(an_address_and_a_label_of_one_number_are_different_frames)
{
    struct frame_details native = { .location = 0, .category = 2 };
    struct frame_details label = { .location = 1, .line = 42, .category = 3 };
    struct frame_key key = { .value = 7, .is_label = false };
    ck_assert_uint_eq(unique_stacks_add_frame(&stacks, key, &native), 0);
    key.is_label = true;
    ck_assert_uint_eq(unique_stacks_find_frame(&stacks, key), UNIQUE_NONE);
    ck_assert_uint_eq(unique_stacks_add_frame(&stacks, key, &label), 1);
    assert_data(stream_table(unique_stacks_stream_frame_table),
                "[[0,false,null,null,null,null,2,0],[1,false,null,null,42,null,3,0]]");
}
END_TEST

START_TEST(many_stacks_stay_findable)
{
    enum { COUNT = 30000 };
    uint32_t first = 0;
    for (int round = 0; round < 2; round++) {
        uint32_t prefix = UNIQUE_NONE;
        for (uint32_t i = 0; i < COUNT; i++) {
            prefix = unique_stacks_push(&stacks, prefix, i % 100);
            ck_assert_uint_eq(prefix, i);
        }
        first = prefix;
    }
    ck_assert_uint_eq(first, COUNT - 1);
    ck_assert_uint_eq(unique_stacks_stack_count(&stacks), COUNT);
}
END_TEST

START_TEST(nothing_is_added_after_a_failure)
{
    add_stack("AB");
    failure_latch_set(&latch, -EIO);
    ck_assert_uint_eq(add_stack("ABC"), UNIQUE_NONE);
    ck_assert_uint_eq(add_stack("AB"), 1);
    ck_assert_uint_eq(unique_stacks_stack_count(&stacks), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.unique_stacks");
    TCase *tables = tcase_create("tables");
    tcase_add_checked_fixture(tables, set_up, tear_down);
    tcase_add_test(tables, samples_share_their_common_callers);
    tcase_add_test(tables, the_same_frame_under_another_caller_is_another_stack);
    tcase_add_test(tables, an_address_and_a_label_of_one_number_are_different_frames);
    tcase_add_test(tables, many_stacks_stay_findable);
    tcase_add_test(tables, nothing_is_added_after_a_failure);
    suite_add_tcase(suite, tables);
    return run_suite(suite);
}
