/* Triggers as they travel. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "common/trigger.h"
#include "tests/unit/run_suite.h"

START_TEST(what_is_written_is_read_again)
{
    static const char long_text[] = "jank:cpu>128ms,kind=tenant,process=a/rather/long/path/of/a/"
                                    "server,name=customer-0123456789-of-the-longer-sort,"
                                    "times=30/10s,quiet=1m";
    static const char *const texts[] = { "signal",
                                         "SIGUSR2",
                                         "exit",
                                         "name:a",
                                         "marker:a:b:5",
                                         "jank:64ms",
                                         "jank:blocked>1s,kind=tenant",
                                         long_text,
                                         "delay:8ms",
                                         "cpu:80%",
                                         "cpu:150%/10s" };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct trigger trigger;
        char text[TRIGGER_TEXT_BYTES];
        ck_assert_int_eq(trigger_parse(texts[i], strlen(texts[i]), &trigger), 0);
        trigger_format(&trigger, text);
        ck_assert_str_eq(text, texts[i]);
    }
}
END_TEST

START_TEST(other_words_are_no_triggers)
{
    static const char *const texts[] = { "",
                                         "SIGUSR1",
                                         "name:",
                                         "marker:a",
                                         "marker::5",
                                         "marker:a:",
                                         "marker:a:5s",
                                         "name:\n",
                                         "exits",
                                         "jank:",
                                         "jank:65ms",
                                         "jank:loud>64ms",
                                         "delay:cpu>64ms",
                                         "cpu:",
                                         "cpu:80",
                                         "cpu:0%",
                                         "cpu:80%/",
                                         "cpu:80%/0s",
                                         "cpu:80%10s",
                                         "marker:a:99999999999999999999" };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct trigger trigger;
        ck_assert_int_eq(trigger_parse(texts[i], strlen(texts[i]), &trigger), -EINVAL);
    }
}
END_TEST

START_TEST(a_time_alone_is_a_rule)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];
    struct group_alert_rule rule;
    ck_assert(
        trigger_alert(&(struct trigger){ .kind = TRIGGER_JANK, .rule = "64ms" }, &rule, problem));
    ck_assert_int_eq(rule.measure, ALERT_ON_CPU);
    ck_assert_uint_eq(rule.above_ns, 64000000);
    ck_assert(
        trigger_alert(&(struct trigger){ .kind = TRIGGER_DELAY, .rule = "8ms" }, &rule, problem));
    ck_assert_int_eq(rule.measure, ALERT_ON_WALL);
    ck_assert_str_eq(rule.filter.kind, "thread");
}
END_TEST

START_TEST(a_share_of_a_processor_is_over_a_while)
{
    struct trigger_cpu cpu;
    ck_assert(trigger_cpu(&(struct trigger){ .kind = TRIGGER_CPU, .rule = "150%/10s" }, &cpu));
    ck_assert_uint_eq(cpu.percent, 150);
    ck_assert_uint_eq(cpu.within_ns, UINT64_C(10000000000));
    ck_assert(trigger_cpu(&(struct trigger){ .kind = TRIGGER_CPU, .rule = "80%" }, &cpu));
    ck_assert_uint_eq(cpu.within_ns, UINT64_C(1000000000));
}
END_TEST

START_TEST(lines_are_read_as_they_were_added)
{
    char lines[TRIGGER_LINES_BYTES] = "";
    const struct trigger added = { .kind = TRIGGER_MARKER, .name = "a:b", .duration_ns = 12 };
    struct trigger read;

    ck_assert_int_eq(trigger_add_line(lines, &added), 0);
    const char *next = lines;
    size_t length = strlen(lines);
    ck_assert_int_eq(trigger_next_line(&next, &length, &read), 1);
    ck_assert_str_eq(read.name, "a:b");
    ck_assert_uint_eq(read.duration_ns, 12);
    ck_assert_int_eq(trigger_next_line(&next, &length, &read), 0);
    next = "12:a", length = 4;
    ck_assert_int_eq(trigger_next_line(&next, &length, &read), -EINVAL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ipc.trigger");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, what_is_written_is_read_again);
    tcase_add_test(claims, other_words_are_no_triggers);
    tcase_add_test(claims, a_time_alone_is_a_rule);
    tcase_add_test(claims, a_share_of_a_processor_is_over_a_while);
    tcase_add_test(claims, lines_are_read_as_they_were_added);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
