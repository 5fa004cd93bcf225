/* daemon.always_on_triggers: the triggers of the session that is always on. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/always_on_triggers.h"
#include "daemon/triggers/trigger_set.h"
#include "tests/unit/run_suite.h"

static struct always_on_triggers always_on;
static struct trigger_set set;
static const char *refusal;

static void set_up(void)
{
    always_on = (struct always_on_triggers){ 0 };
    refusal = NULL;
}

static int add_trigger(const char *text)
{
    return always_on_triggers_add(&always_on, text, &refusal);
}

START_TEST(what_was_added_is_in_the_set)
{
    ck_assert_int_eq(add_trigger("signal"), 0);
    ck_assert_int_eq(add_trigger("name:now"), 0);
    always_on.output = "%n.json";
    ck_assert_int_eq(trigger_set_make_always_on(&always_on, &set, &refusal), 0);
    ck_assert_uint_eq(set.count, 2);
    ck_assert(trigger_set_has(&set, TRIGGER_SIGNAL));
    ck_assert(trigger_set_has_name(&set, "now"));
    ck_assert(set.is_always_on);
    ck_assert_str_eq(set.output, "%n.json");
    ck_assert_uint_gt(set.last_ms, 0);
}
END_TEST

START_TEST(captures_have_the_usual_names)
{
    ck_assert_int_eq(add_trigger("exit"), 0);
    ck_assert_int_eq(trigger_set_make_always_on(&always_on, &set, &refusal), 0);
    ck_assert_str_eq(set.output, OUTPUT_PATTERN_DEFAULT);
}
END_TEST

START_TEST(without_triggers_there_is_no_set)
{
    ck_assert_int_eq(trigger_set_make_always_on(&always_on, &set, &refusal), -ENOENT);
    ck_assert_uint_eq(set.count, 0);
    always_on.output = "a.json";
    ck_assert_int_eq(trigger_set_make_always_on(&always_on, &set, &refusal), -EINVAL);
    ck_assert_ptr_nonnull(strstr(refusal, "requires --trigger"));
}
END_TEST

START_TEST(what_is_no_trigger_is_refused)
{
    static const char *const wrong[] = {
        "", "sig", "jank:", "cpu:200", "marker:x:1000000", "name:"
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_msg(add_trigger(wrong[i]) == -EINVAL, "%s", wrong[i]);
    ck_assert_uint_eq(always_on.count, 0);
}
END_TEST

START_TEST(there_are_no_more_than_a_session_has)
{
    for (int i = 0; i < TRIGGERS_MAX; i++)
        ck_assert_int_eq(add_trigger("exit"), 0);
    ck_assert_int_eq(add_trigger("exit"), -EINVAL);
}
END_TEST

START_TEST(names_that_cannot_be_are_refused)
{
    static char longest[OUTPUT_PATTERN_BYTES + 1];
    static const char *const wrong[] = { "a.txt", "%x.json", longest };

    memset(longest, 'a', OUTPUT_PATTERN_BYTES);
    memcpy(longest + OUTPUT_PATTERN_BYTES - 5, ".json", 5);
    ck_assert_int_eq(add_trigger("exit"), 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        always_on.output = wrong[i];
        ck_assert_int_eq(trigger_set_make_always_on(&always_on, &set, &refusal), -EINVAL);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("always_on_triggers");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, what_was_added_is_in_the_set);
    tcase_add_test(all, captures_have_the_usual_names);
    tcase_add_test(all, without_triggers_there_is_no_set);
    tcase_add_test(all, what_is_no_trigger_is_refused);
    tcase_add_test(all, there_are_no_more_than_a_session_has);
    tcase_add_test(all, names_that_cannot_be_are_refused);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
