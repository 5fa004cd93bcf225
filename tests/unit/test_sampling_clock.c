/* Sampling clocks: numbers of arenas, words of people, sums and lines. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "buffer/clock_summary.h"
#include "common/clock_choice.h"
#include "profctl/report/clock_line.h"
#include "tests/unit/run_suite.h"

START_TEST(each_name_is_read_again)
{
    for (int i = 0; i < SAMPLING_CLOCK_COUNT; i++) {
        enum sampling_clock clock = SAMPLING_CLOCK_COUNT;
        ck_assert_int_eq(clock_choice_parse(sampling_clock_name((enum sampling_clock)i), &clock),
                         0);
        ck_assert_int_eq(clock, i);
        ck_assert_ptr_nonnull(strstr(CLOCK_CHOICES, sampling_clock_name(clock)));
    }
}
END_TEST

START_TEST(other_words_name_no_clock)
{
    static const char *const words[] = { "", "CPU", "cpu ", "cpuperf", "cp", "1", "auto,cpu" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        enum sampling_clock clock = SAMPLING_CLOCK_WALL;
        ck_assert_int_eq(clock_choice_parse(words[i], &clock), -EINVAL);
        ck_assert_int_eq(clock, SAMPLING_CLOCK_WALL);
    }
}
END_TEST

START_TEST(a_slip_is_recognized)
{
    ck_assert_str_eq(clock_choice_nearest("pref"), "perf");
    ck_assert_str_eq(clock_choice_nearest("cpus"), "cpu");
    ck_assert_str_eq(clock_choice_nearest("wa"), "wall");
    ck_assert_ptr_null(clock_choice_nearest("monotonic"));
    ck_assert_ptr_null(clock_choice_nearest(""));
}
END_TEST

START_TEST(numbers_that_nobody_knows_are_harmless)
{
    ck_assert_int_eq(sampling_clock_checked(SAMPLING_CLOCK_WALL), SAMPLING_CLOCK_WALL);
    ck_assert_int_eq(sampling_clock_checked(SAMPLING_CLOCK_COUNT), SAMPLING_CLOCK_AUTO);
    ck_assert_int_eq(sampling_clock_checked(UINT32_MAX), SAMPLING_CLOCK_AUTO);
    ck_assert_int_eq(clock_refusal_checked(CLOCK_REFUSAL_SIGNAL), CLOCK_REFUSAL_SIGNAL);
    ck_assert_int_eq(clock_refusal_checked(CLOCK_REFUSAL_COUNT), CLOCK_REFUSAL_OTHER);
    ck_assert_int_eq(clock_refusal_checked(UINT32_MAX), CLOCK_REFUSAL_OTHER);
    ck_assert_uint_eq(sampling_interval_checked(4000000), 4000000);
    ck_assert_uint_eq(sampling_interval_checked(SAMPLING_INTERVAL_MAX_NS),
                      SAMPLING_INTERVAL_MAX_NS);
    ck_assert_uint_eq(sampling_interval_checked(SAMPLING_INTERVAL_MAX_NS + 1), 0);
}
END_TEST

START_TEST(a_refusal_is_known_by_its_words)
{
    for (int i = 0; i < CLOCK_REFUSAL_COUNT; i++)
        ck_assert_int_eq(clock_refusal_named(clock_refusal_text((enum clock_refusal)i)), i);
    ck_assert_int_eq(clock_refusal_named("nobody knows"), CLOCK_REFUSAL_OTHER);
}
END_TEST

/* --- sums --- */

static void add_group(struct clock_summary *summary, enum sampling_clock clock,
                      enum clock_refusal refusal, uint64_t interval_ns)
{
    clock_summary_add(summary,
                      &(struct clock_group){ clock, refusal, 1, interval_ns, interval_ns });
}

START_TEST(processes_of_one_clock_and_reason_count_together)
{
    struct clock_summary summary = { .count = 0 };

    add_group(&summary, SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_NONE, 4);
    add_group(&summary, SAMPLING_CLOCK_AUTO, CLOCK_REFUSAL_NONE, 1);
    add_group(&summary, SAMPLING_CLOCK_PERF, CLOCK_REFUSAL_NONE, 1);
    add_group(&summary, SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_KERNEL, 4);
    add_group(&summary, SAMPLING_CLOCK_PERF, CLOCK_REFUSAL_NONE, 0);
    add_group(&summary, SAMPLING_CLOCK_PERF, CLOCK_REFUSAL_NONE, 3);
    clock_summary_sort(&summary);
    ck_assert_uint_eq(summary.count, 3);
    ck_assert_int_eq(summary.groups[0].clock, SAMPLING_CLOCK_PERF);
    ck_assert_uint_eq(summary.groups[0].processes, 3);
    ck_assert_uint_eq(summary.groups[0].shortest_ns, 1);
    ck_assert_uint_eq(summary.groups[0].longest_ns, 3);
    ck_assert_int_eq(summary.groups[1].clock, SAMPLING_CLOCK_CPU);
    ck_assert_int_eq(summary.groups[1].refusal, CLOCK_REFUSAL_NONE);
    ck_assert_int_eq(summary.groups[2].refusal, CLOCK_REFUSAL_KERNEL);
}
END_TEST

START_TEST(there_is_room_for_every_group)
{
    struct clock_summary summary = { .count = 0 };

    for (int turn = 0; turn < 2; turn++)
        for (int clock = 0; clock < SAMPLING_CLOCK_COUNT; clock++)
            for (int refusal = 0; refusal < CLOCK_REFUSAL_COUNT; refusal++)
                add_group(&summary, (enum sampling_clock)clock, (enum clock_refusal)refusal, 1);
    ck_assert_uint_eq(summary.count, CLOCK_GROUPS_MOST);
    ck_assert_uint_eq(summary.groups[CLOCK_GROUPS_MOST - 1].processes, 2);
}
END_TEST

/* --- lines --- */

/* CLOCK, why, its intervals, the interval that was asked for, whether processes are counted. */
static const struct {
    struct clock_group group;
    uint64_t asked_ns;
    bool counted;
    const char *line;
} lines[] = {
    { { SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_NONE, 1, 4000000, 4000000 },
      1000000,
      false,
      "cpu, 4 ms: the kernel's tick; --clock perf for 1 ms" },
    { { SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_NONE, 1, 4000000, 4000000 },
      4000000,
      true,
      "cpu, 4 ms in 1 process" },
    { { SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_NONE, 1, 4000000, 4000000 }, 0, false, "cpu, 4 ms" },
    { { SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_NONE, 1234, 1000000, 4000000 },
      250000,
      true,
      "cpu, 1 ms to 4 ms in 1,234 processes: the kernel's tick; --clock perf for 250 us" },
    { { SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_KERNEL, 1, 4000000, 4000000 },
      1000000,
      false,
      "cpu, 4 ms; not as requested: the kernel refuses perf events (sysctl "
      "kernel.perf_event_paranoid)" },
    { { SAMPLING_CLOCK_PERF, CLOCK_REFUSAL_NONE, 1, 100000, 100000 },
      10000,
      false,
      "perf, 100 us: the shortest that the kernel grants" },
    { { SAMPLING_CLOCK_WALL, CLOCK_REFUSAL_NONE, 1, 1500000, 1500000 },
      1000000,
      false,
      "wall, 1.5 ms" },
    { { SAMPLING_CLOCK_WALL, CLOCK_REFUSAL_NONE, 1, 0, 0 }, 1000000, false, "wall" },
    { { SAMPLING_CLOCK_CPU, CLOCK_REFUSAL_NONE, 1, 2000000000, 2000000000 },
      2000000000,
      false,
      "cpu, 2 s" },
};

START_TEST(a_line_says_what_it_is_and_what_to_do)
{
    char line[CLOCK_LINE_BYTES];

    ck_assert_str_eq(
        clock_line_format(&lines[_i].group, lines[_i].asked_ns, lines[_i].counted, line),
        lines[_i].line);
}
END_TEST

START_TEST(the_longest_line_is_whole)
{
    char line[CLOCK_LINE_BYTES];
    struct clock_group group = { SAMPLING_CLOCK_PERF, CLOCK_REFUSAL_NONE, UINT64_MAX, 1234567,
                                 SAMPLING_INTERVAL_MAX_NS };

    for (int refusal = 1; refusal < CLOCK_REFUSAL_COUNT; refusal++) {
        const char *text = clock_refusal_text((enum clock_refusal)refusal);
        group.refusal = (enum clock_refusal)refusal;
        clock_line_format(&group, 1000000, true, line);
        ck_assert_str_eq(line + strlen(line) - strlen(text), text);
    }
}
END_TEST

START_TEST(each_refusal_has_its_words)
{
    ck_assert_str_eq(clock_refusal_text(CLOCK_REFUSAL_NONE), "");
    for (int i = 1; i < CLOCK_REFUSAL_COUNT; i++) {
        const char *text = clock_refusal_text((enum clock_refusal)i);
        ck_assert_uint_gt(strlen(text), 10);
        ck_assert_ptr_null(strchr(text, '\n'));
        for (int other = 1; other < i; other++)
            ck_assert_str_ne(text, clock_refusal_text((enum clock_refusal)other));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampling_clock");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, each_name_is_read_again);
    tcase_add_test(tests, other_words_name_no_clock);
    tcase_add_test(tests, a_slip_is_recognized);
    tcase_add_test(tests, numbers_that_nobody_knows_are_harmless);
    tcase_add_test(tests, each_refusal_has_its_words);
    tcase_add_test(tests, a_refusal_is_known_by_its_words);
    tcase_add_test(tests, processes_of_one_clock_and_reason_count_together);
    tcase_add_test(tests, there_is_room_for_every_group);
    tcase_add_loop_test(tests, a_line_says_what_it_is_and_what_to_do, 0,
                        sizeof(lines) / sizeof(lines[0]));
    tcase_add_test(tests, the_longest_line_is_whole);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
