/* profctl.profile.profile_meta */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profctl/profile/profile_meta.h"
#include "tests/unit/run_suite.h"

static char told[256];
static struct profile_meta meta;

static int on_member(void *owner, const char *name, const char *json, size_t length)
{
    size_t used = strlen(told);

    ck_assert_ptr_eq(owner, told);
    snprintf(told + used, sizeof(told) - used, "%s=%.*s;", name, (int)length, json);
    return strcmp(name, "stop") == 0 ? -ECANCELED : 0;
}

static int read_text(const char *json, bool is_anybody_told)
{
    struct mapped_array text = { 0 };
    const struct profile_meta_listener listener = { is_anybody_told ? on_member : NULL, told,
                                                    &text };
    struct json_reader *reader;

    told[0] = '\0';
    ck_assert_int_eq(json_reader_open_memory(json, strlen(json), &reader), 0);
    int error = profile_meta_read(reader, &listener, &meta);
    json_reader_close(reader);
    mapped_array_free(&text);
    return error;
}

START_TEST(times_and_units_are_kept)
{
    ck_assert_int_eq(read_text("{\"startTime\":5.5,\"interval\":4,\"sampleUnits\":"
                               "{\"time\":\"ms\",\"threadCPUDelta\":\"ns\"}}",
                               true),
                     0);
    ck_assert_double_eq(meta.start_unix_ms, 5.5);
    ck_assert_uint_eq(meta.interval_ns, 4000000);
    ck_assert_double_eq(meta.cpu_unit_ns, 1);
    ck_assert(!meta.is_of_root);
    ck_assert_str_eq(told, "");
}
END_TEST

START_TEST(what_is_not_told_is_not_known)
{
    ck_assert_int_eq(read_text("{\"interval\":null,\"sampleUnits\":[1]}", true), 0);
    ck_assert_double_eq(meta.start_unix_ms, 0);
    ck_assert_uint_eq(meta.interval_ns, 0);
    ck_assert_double_eq(meta.cpu_unit_ns, 0);
}
END_TEST

START_TEST(other_members_are_told_as_they_are_written)
{
    const char *text = "{\"product\":\"a\\\"b\",\"list\":[1, {}]}";

    ck_assert_int_eq(read_text(text, true), 0);
    ck_assert_str_eq(told, "product=\"a\\\"b\";list=[1, {}];");
    ck_assert(meta.is_of_root);
    ck_assert_int_eq(read_text(text, false), 0);
    ck_assert_str_eq(told, "");
    ck_assert_int_eq(read_text("{\"stop\":1,\"list\":2}", true), -ECANCELED);
    ck_assert_str_eq(told, "stop=1;");
}
END_TEST

START_TEST(anything_but_an_object_is_refused)
{
    ck_assert_int_eq(read_text("[]", true), -EPROTO);
    ck_assert_int_lt(read_text("{\"startTime\":", true), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.profile.profile_meta");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, times_and_units_are_kept);
    tcase_add_test(tests, what_is_not_told_is_not_known);
    tcase_add_test(tests, other_members_are_told_as_they_are_written);
    tcase_add_test(tests, anything_but_an_object_is_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
