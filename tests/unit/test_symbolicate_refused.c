/* profctl.symbolicate: captures that are refused, and addresses that stay. */
#include <errno.h>

#include "profctl/naming/symbolicate.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/symbolicate_scene.h"

START_TEST(without_symbols_addresses_stay)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture = make_capture(&thread, "null"), address[32];
    cJSON *root;

    snprintf(address, sizeof(address), "0x%" PRIx64, (uint64_t)(uintptr_t)plain_function);
    ck_assert_int_eq(symbolicate_text(capture, false, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), address);
    ck_assert_ptr_null(cJSON_GetObjectItem(get_member(root, "meta"), "presymbolicated"));
    cJSON_Delete(root);
    free(capture);
}
END_TEST

START_TEST(a_file_with_another_build_id_is_not_used)
{
    struct thread_text thread = native_thread((uint64_t)(uintptr_t)plain_function);
    char *capture = make_capture(&thread, "\"0123456789abcdef0123456789abcdef01234567\"");
    char address[32];
    cJSON *root;

    snprintf(address, sizeof(address), "0x%" PRIx64, (uint64_t)(uintptr_t)plain_function);
    ck_assert_int_eq(symbolicate_text(capture, true, &root), 0);
    ck_assert_str_eq(stack_of(only_thread(root), 0), address);
    ck_assert_uint_eq(counts.unnamed, 1);
    cJSON_Delete(root);
    free(capture);
}
END_TEST

static const struct {
    const char *what;
    struct thread_text thread;
} broken[] = {
    { "a location out of range",
      { "[\"a\"]", "[[1,false,null,null,null,null,2,0]]", "[]", "[]", "[]" } },
    { "a frame out of range", { "[]", "[]", "[[null,0]]", "[]", "[]" } },
    { "a prefix that points forwards",
      { "[\"a\"]", "[[0,false,null,null,null,null,2,0]]", "[[0,0]]", "[]", "[]" } },
    { "a stack out of range",
      { "[\"a\"]", "[[0,false,null,null,null,null,2,0]]", "[[null,0]]", "[[1,1,0,7]]", "[]" } },
    { "a marker's name out of range", { "[\"a\"]", "[]", "[]", "[]", "[[1,1,null,0,1]]" } },
    { "strings that come again",
      { "[\"a\"]", "[]", "[]", "[]",
        "[]},\"stringTable\":[\"a\",\"b\"],\"markers\":{\"data\":[[1,1,null,0,1]]" } },
    { "a string that is a number", { "[1]", "[]", "[]", "[]", "[]" } },
    { "samples that are no rows", { "[]", "[]", "[]", "[1]", "[]" } },
    { "an index with a fraction",
      { "[\"a\"]", "[[0.5,false,null,null,null,null,2,0]]", "[]", "[]", "[]" } },
};

START_TEST(broken_captures_are_refused)
{
    char *capture = make_capture(&broken[_i].thread, "null");
    cJSON *root;

    ck_assert_msg(symbolicate_text(capture, true, &root) == -EPROTO, "%s", broken[_i].what);
    free(capture);
}
END_TEST

static const char *const no_captures[] = {
    "",
    "[]",
    "{\"processes\":{}}",
    "{\"processes\":[{\"threads\":[{}]}]}",
    "{\"threads\":[{\"samples\":{\"data\":[]}}]}",
    "{\"libs\":[{\"start\":\"x\"}]}",
    "{\"libs\":[{\"start\":1,\"end\":2,\"offset\":0}]}",
    "{\"meta\":{}} more",
    "{\"meta\":{}",
};

START_TEST(what_is_no_capture_is_refused)
{
    cJSON *root;

    ck_assert_msg(symbolicate_text(no_captures[_i], true, &root) == -EPROTO, "%s", no_captures[_i]);
}
END_TEST

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
    Suite *suite = suite_create("profctl.symbolicate_refused");
    TCase *names = tcase_create("names"), *malformed = tcase_create("malformed");

    tcase_add_checked_fixture(names, find_program, NULL);
    tcase_add_test(names, without_symbols_addresses_stay);
    tcase_add_test(names, a_file_with_another_build_id_is_not_used);
    tcase_add_checked_fixture(malformed, find_program, NULL);
    tcase_add_loop_test(malformed, broken_captures_are_refused, 0, COUNT_OF(broken));
    tcase_add_loop_test(malformed, what_is_no_capture_is_refused, 0, COUNT_OF(no_captures));
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, malformed);
    return run_suite(suite);
}
