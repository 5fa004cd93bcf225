/* How long programs lived, and what they used. */
#include <check.h>
#include <math.h>

#include "profctl/profile/process_lives.h"
#include "tests/unit/run_suite.h"

enum { PID = 7 };

/* What a profile tells of a program that lived from FIRST_MS to LAST_MS. */
static struct process_log log_of(double later_images, double first_ms, double last_ms)
{
    struct process_log log;

    process_log_init(&log);
    log.pid = PID;
    log.later_images = later_images;
    log.start_ms = first_ms;
    log.end_ms = last_ms;
    log.cpu_before_ms = 0;
    return log;
}

/* It was another program afterwards; the process had used AT_EXEC_MS (below 0: not known). */
static struct process_life life_that_went_on(double later_images, double first_ms, double last_ms,
                                             double at_exec_ms)
{
    struct process_log log = log_of(later_images, first_ms, last_ms);

    log.outcome = (char *)"execed";
    log.cpu_at_exec_ms = at_exec_ms;
    return process_life_of(&log);
}

static struct process_life last_life(double first_ms, double last_ms, double cpu_ms)
{
    struct process_log log = log_of(0, first_ms, last_ms);

    log.cpu_ms = cpu_ms;
    return process_life_of(&log);
}

static void check_life(const struct process_life *life, double start_ms, double wall_ms,
                       double cpu_ms)
{
    ck_assert_double_eq_tol(life->start_ms, start_ms, 1e-9);
    ck_assert_double_eq_tol(life->wall_ms, wall_ms, 1e-9);
    ck_assert_double_eq_tol(life->cpu_ms, cpu_ms, 1e-9);
}

START_TEST(a_program_lives_from_its_call_on)
{
    struct process_life life = last_life(10.5, 11, 0.8);
    life.process_start_ms = 10;
    process_lives_settle(&life, 1);
    check_life(&life, 10, 1, 0.8);
}
END_TEST

/* Its agent was never heard of. */
START_TEST(who_is_known_by_its_end_lives_from_its_call_on_or_has_no_length)
{
    struct process_life life = last_life(NAN, 11, 0.8);
    life.process_start_ms = NAN;
    process_lives_settle(&life, 1);
    check_life(&life, -1, -1, 0.8);
    life.process_start_ms = 10;
    process_lives_settle(&life, 1);
    check_life(&life, 10, 1, 0.8);
}
END_TEST

START_TEST(without_a_call_it_lives_from_its_agent_on)
{
    struct process_life life = last_life(10.5, 11, 0.3);
    process_lives_settle(&life, 1);
    check_life(&life, 10.5, 0.5, 0.3);
}
END_TEST

START_TEST(what_was_before_the_profile_is_not_counted)
{
    struct process_life life = last_life(10, 20, 1000);
    life.charged_before_ms = 995;
    process_lives_settle(&life, 1);
    check_life(&life, 10, 10, 5);
}
END_TEST

START_TEST(each_program_of_a_process_has_its_own)
{
    struct process_life all[] = { last_life(120.5, 130, 45), life_that_went_on(2, 0, 100, 30),
                                  life_that_went_on(1, 100.5, 120, 40) };
    for (int i = 0; i < 3; i++)
        all[i].process_start_ms = -5;
    process_lives_settle(all, 3);
    check_life(&all[0], -5, 105, 30);
    check_life(&all[1], 100, 20, 10);
    check_life(&all[2], 120, 10, 5);
}
END_TEST

START_TEST(a_fork_that_is_left_out_is_its_programs)
{
    struct process_life life = last_life(10.5, 11, 1);
    life.process_start_ms = 9;
    process_lives_settle(&life, 1);
    check_life(&life, 9, 2, 1);
}
END_TEST

START_TEST(what_is_not_known_at_the_exec_is_the_last_ones)
{
    struct process_life all[] = { life_that_went_on(1, 0, 100, -1), last_life(100, 130, 45) };
    all[1].charged_before_ms = 5;
    process_lives_settle(all, 2);
    check_life(&all[0], 0, 100, -1);
    check_life(&all[1], 100, 30, 40);
}
END_TEST

START_TEST(what_was_used_two_programs_before_is_counted_once)
{
    struct process_life all[] = { life_that_went_on(2, 0, 100, 30),
                                  life_that_went_on(1, 100, 120, -1), last_life(120, 150, 165) };
    process_lives_settle(all, 3);
    check_life(&all[0], 0, 100, 30);
    check_life(&all[1], 100, 20, -1);
    check_life(&all[2], 120, 30, 135);
}
END_TEST

/* Nobody saw the end of the second program: its samples say 7 ms. */
START_TEST(what_nobody_saw_the_end_of_used_what_it_recorded)
{
    struct process_log log = log_of(0, 100, 130);
    log.cpu_until = (char *)"last record";
    struct process_life all[] = { life_that_went_on(1, 0, 100, 30), process_life_of(&log) };
    all[1].recorded_ms = 7;
    process_lives_settle(all, 2);
    check_life(&all[1], 100, 30, 7);
    ck_assert(all[1].is_least_cpu && !all[0].is_least_cpu);
    log.cpu_ms = 45;
    all[1] = process_life_of(&log);
    process_lives_settle(all, 2);
    check_life(&all[1], 100, 30, 15);
}
END_TEST

START_TEST(a_pid_that_is_used_again_is_another_process)
{
    struct process_life all[] = { last_life(0, 100, 30), last_life(200, 210, 8) };
    all[0].later_images = 1;
    process_lives_settle(all, 2);
    check_life(&all[0], 0, 100, 30);
    check_life(&all[1], 200, 10, 8);
}
END_TEST

START_TEST(one_that_still_runs_has_no_length)
{
    struct process_life life = last_life(10, NAN, 8);
    process_lives_settle(&life, 1);
    check_life(&life, 10, -1, 8);
}
END_TEST

START_TEST(nothing_is_known_of_other_profilers)
{
    struct process_log log;

    process_log_init(&log);
    struct process_life lives[] = { process_life_of(&log), process_life_of(&log) };
    process_lives_settle(lives, 2);
    check_life(&lives[0], -1, -1, -1);
    check_life(&lives[1], -1, -1, -1);
    process_lives_settle(NULL, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.process_lives");
    TCase *lives = tcase_create("lives");
    tcase_add_test(lives, a_program_lives_from_its_call_on);
    tcase_add_test(lives, who_is_known_by_its_end_lives_from_its_call_on_or_has_no_length);
    tcase_add_test(lives, without_a_call_it_lives_from_its_agent_on);
    tcase_add_test(lives, what_was_before_the_profile_is_not_counted);
    tcase_add_test(lives, each_program_of_a_process_has_its_own);
    tcase_add_test(lives, a_fork_that_is_left_out_is_its_programs);
    tcase_add_test(lives, what_is_not_known_at_the_exec_is_the_last_ones);
    tcase_add_test(lives, what_was_used_two_programs_before_is_counted_once);
    tcase_add_test(lives, what_nobody_saw_the_end_of_used_what_it_recorded);
    tcase_add_test(lives, a_pid_that_is_used_again_is_another_process);
    tcase_add_test(lives, one_that_still_runs_has_no_length);
    tcase_add_test(lives, nothing_is_known_of_other_profilers);
    suite_add_tcase(suite, lives);
    return run_suite(suite);
}
