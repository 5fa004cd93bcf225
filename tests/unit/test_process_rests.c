/* What processes used beyond their samples is told once, in the range in which they end. */
#include <check.h>

#include "profctl/export/process_rests.h"
#include "tests/unit/run_suite.h"

enum { PID = 7, NOT_KNOWN = -1, IMAGES_MAX = 4 };

static struct process_rests rests;
static struct rest_image seen[IMAGES_MAX]; /* those of the last capture, as they were settled */
static size_t seen_count;

/* Ranges are [100, 200), [200, 300) …, of a session that began at 1. */
static struct rests_range range_of(int number)
{
    return (struct rests_range){ 1, 100 * (int64_t)number, 100 * (int64_t)number + 100 };
}

static void set_up(void)
{
    rests = (struct process_rests){ 0 };
}

static void tear_down(void)
{
    process_rests_free(&rests);
}

static void settle_in(const struct rests_range *range, const struct rest_image *images,
                      size_t count)
{
    struct mapped_array all = { 0 };

    for (size_t i = 0; i < count; i++) {
        struct rest_image *place = mapped_array_push(&all, sizeof(*place));
        ck_assert_ptr_nonnull(place);
        *place = images[i];
    }
    ck_assert_int_eq(process_rests_settle(&rests, range, &all), 0);
    for (size_t i = 0; i < count; i++)
        seen[i] = ((const struct rest_image *)all.items)[i];
    seen_count = count;
    mapped_array_free(&all);
}

static int64_t told_in(int number, const struct rest_image *images, size_t count)
{
    const struct rests_range range = range_of(number);
    int64_t told_ns = 0;

    settle_in(&range, images, count);
    process_rests_keep(&rests);
    for (size_t i = 0; i < seen_count; i++)
        told_ns += seen[i].rest_ns;
    return told_ns;
}

static struct rest_image make_image(int64_t end_ns, int64_t charged_ns, int64_t before_ns)
{
    return (struct rest_image){
        .pid = PID, .end_ns = end_ns, .charged_ns = charged_ns, .before_ns = before_ns
    };
}

START_TEST(a_short_program_is_told_when_it_ends)
{
    const struct rest_image image = make_image(150, 25, 0);

    ck_assert_int_eq(told_in(1, &image, 1), 25);
}
END_TEST

START_TEST(what_overlapping_captures_have_twice_is_told_once)
{
    const struct rest_image image = make_image(190, 25, 0);
    struct rest_image again = image;

    ck_assert_int_eq(told_in(1, &image, 1), 25);
    ck_assert_int_eq(told_in(2, &again, 1), 0);
}
END_TEST

START_TEST(the_end_behind_a_range_is_of_the_next_one)
{
    const struct rest_image image = make_image(200, 25, 0);

    ck_assert_int_eq(told_in(1, &image, 1), 0);
    ck_assert_int_eq(told_in(2, &image, 1), 25);
    ck_assert_int_eq(told_in(3, &image, 1), 0);
}
END_TEST

START_TEST(samples_of_all_ranges_are_not_told_again)
{
    struct rest_image image = make_image(REST_NOT_ENDED, 60, 0);

    image.sampled.told_ns = 50;
    image.sampled.late_ns = 5; /* which the next range has, too */
    ck_assert_int_eq(told_in(1, &image, 1), 0);
    image = make_image(REST_NOT_ENDED, 120, NOT_KNOWN);
    image.sampled = (struct rests_sampled){ .early_ns = 20, .told_ns = 60 };
    ck_assert_int_eq(told_in(2, &image, 1), 0);
    image = make_image(350, 140, NOT_KNOWN);
    image.sampled.told_ns = 10;
    ck_assert_int_eq(told_in(3, &image, 1), 140 - 50 - 60 - 10);
}
END_TEST

START_TEST(samples_before_the_first_range_are_not_told_as_a_rest)
{
    struct rest_image image = make_image(150, 25, 0);

    image.sampled = (struct rests_sampled){ .early_ns = 10, .told_ns = 5 };
    ck_assert_int_eq(told_in(1, &image, 1), 10);
}
END_TEST

START_TEST(an_hour_before_the_exporter_is_not_told)
{
    struct rest_image image = make_image(REST_NOT_ENDED, 3600, NOT_KNOWN);

    image.sampled.late_ns = 10;
    ck_assert_int_eq(told_in(1, &image, 1), 0);
    image = make_image(250, 3625, NOT_KNOWN);
    image.sampled.told_ns = 15;
    ck_assert_int_eq(told_in(2, &image, 1), 3625 - 3590 - 15);
}
END_TEST

START_TEST(of_who_ended_before_he_was_known_nothing_is_told)
{
    const struct rest_image image = make_image(150, 3600, NOT_KNOWN);

    ck_assert_int_eq(told_in(1, &image, 1), 0);
}
END_TEST

START_TEST(what_was_before_the_session_is_not_told)
{
    const struct rest_image image = make_image(150, 3600, 3500);

    ck_assert_int_eq(told_in(1, &image, 1), 100);
}
END_TEST

START_TEST(each_program_of_a_process_has_its_own_part)
{
    struct rest_image images[] = { make_image(120, 10, 0), make_image(140, 30, 0),
                                   make_image(REST_NOT_ENDED, 60, 0) };

    images[0].goes_on = images[1].goes_on = true;
    images[0].later_images = 2;
    images[1].later_images = 1;
    images[1].sampled.told_ns = 5;
    images[2].sampled.told_ns = 20;
    ck_assert_int_eq(told_in(1, images, 3), 10 + 15);
    ck_assert_int_eq(seen[0].rest_ns, 10);
    ck_assert_int_eq(seen[1].rest_ns, 15);
    images[2] = make_image(210, 70, NOT_KNOWN);
    ck_assert_int_eq(told_in(2, &images[2], 1), 20);
}
END_TEST

/* The capture of the second range has the first program a second time. */
START_TEST(a_program_that_went_on_is_told_once)
{
    struct rest_image images[] = { make_image(190, 10, 0), make_image(REST_NOT_ENDED, 60, 0) };

    images[0].goes_on = true;
    images[0].later_images = 1;
    images[1].sampled.told_ns = 20;
    ck_assert_int_eq(told_in(1, images, 2), 10);
    images[0].before_ns = images[1].before_ns = NOT_KNOWN;
    images[1].end_ns = 250;
    images[1].sampled = (struct rests_sampled){ .early_ns = 20, .told_ns = 25 };
    ck_assert_int_eq(told_in(2, images, 2), 60 - 10 - 20 - 25);
}
END_TEST

/* The first exporter that asks for it begins between the two. */
START_TEST(a_program_that_went_on_before_the_first_range_is_not_told)
{
    struct rest_image images[] = { make_image(90, 10, 0), make_image(150, 60, 0) };

    images[0].goes_on = true;
    images[0].later_images = 1;
    images[0].sampled.early_ns = 4;
    images[1].sampled = (struct rests_sampled){ .early_ns = 7, .told_ns = 30 };
    ck_assert_int_eq(told_in(1, images, 2), 60 - 10 - 7 - 30);
}
END_TEST

START_TEST(programs_share_a_clock_that_nobody_read_between_them)
{
    struct rest_image images[] = { make_image(120, NOT_KNOWN, 0), make_image(150, 60, 0) };

    images[0].goes_on = true;
    images[0].later_images = 1;
    images[0].sampled.told_ns = 10;
    ck_assert_int_eq(told_in(1, images, 2), 50);
    ck_assert_int_eq(seen[1].rest_ns, 50);
}
END_TEST

START_TEST(samples_beyond_the_own_time_are_of_the_next_program)
{
    struct rest_image images[] = { make_image(120, 10, 0), make_image(150, 100, 0) };

    images[0].goes_on = true;
    images[0].later_images = 1;
    images[0].sampled.told_ns = 12;
    images[1].sampled.told_ns = 20;
    ck_assert_int_eq(told_in(1, images, 2), 68);
    ck_assert_int_eq(seen[0].rest_ns, 0);
}
END_TEST

START_TEST(a_pid_that_was_used_again_is_another_process)
{
    struct rest_image images[] = { make_image(195, 40, 0), make_image(REST_NOT_ENDED, 5, 0) };

    images[0].later_images = 1;
    ck_assert_int_eq(told_in(1, images, 2), 40);
    images[1].before_ns = NOT_KNOWN;
    images[1].end_ns = 250;
    images[1].charged_ns = 8;
    ck_assert_int_eq(told_in(2, images, 2), 8);
    ck_assert_int_eq(seen[0].rest_ns, 0);
    ck_assert_int_eq(seen[1].rest_ns, 8);
}
END_TEST

/* It may be of another process that had the pid: one whose end was told. */
START_TEST(an_end_before_the_range_is_not_told)
{
    const struct rest_image lives = make_image(REST_NOT_ENDED, 20, 0),
                            ended = make_image(190, 25, NOT_KNOWN);

    ck_assert_int_eq(told_in(1, &lives, 1), 0);
    ck_assert_int_eq(told_in(2, &ended, 1), 0);
}
END_TEST

START_TEST(a_range_that_failed_is_told_when_it_is_asked_for_again)
{
    const struct rests_range range = range_of(2);
    const struct rest_image lives = make_image(REST_NOT_ENDED, 20, 0),
                            ended = make_image(250, 25, NOT_KNOWN);

    ck_assert_int_eq(told_in(1, &lives, 1), 0);
    settle_in(&range, &ended, 1);
    ck_assert_int_eq(seen[0].rest_ns, 25);
    ck_assert_int_eq(told_in(2, &ended, 1), 25);
}
END_TEST

START_TEST(what_was_known_before_lost_ranges_is_not_believed)
{
    const struct rest_image lives = make_image(REST_NOT_ENDED, 20, 0),
                            ended = make_image(350, 500, NOT_KNOWN);

    ck_assert_int_eq(told_in(1, &lives, 1), 0);
    ck_assert_int_eq(told_in(3, &ended, 1), 0);
}
END_TEST

START_TEST(what_was_used_between_two_sessions_is_not_told)
{
    const struct rest_image lives = make_image(REST_NOT_ENDED, 20, 0),
                            ended = make_image(250, 500, NOT_KNOWN);
    struct rests_range range = range_of(2);

    ck_assert_int_eq(told_in(1, &lives, 1), 0);
    range.session_ns = 210;
    settle_in(&range, &ended, 1);
    ck_assert_int_eq(seen[0].rest_ns, 0);
}
END_TEST

START_TEST(a_profile_says_what_an_image_is)
{
    struct process_log log;

    process_log_init(&log);
    struct rest_image image = rest_image_of(&log, 1000);
    ck_assert(image.end_ns == REST_NOT_ENDED && image.charged_ns < 0 && image.before_ns < 0);
    log.pid = PID;
    log.end_ms = 0.5;
    log.cpu_ms = 2;
    log.cpu_before_ms = 0;
    image = rest_image_of(&log, 1000);
    ck_assert_int_eq(image.end_ns, 501000);
    ck_assert_int_eq(image.charged_ns, 2000000);
    ck_assert_int_eq(image.before_ns, 0);
    process_log_free(&log);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.process_rests");
    TCase *tests = tcase_create("rests");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_short_program_is_told_when_it_ends);
    tcase_add_test(tests, what_overlapping_captures_have_twice_is_told_once);
    tcase_add_test(tests, the_end_behind_a_range_is_of_the_next_one);
    tcase_add_test(tests, samples_of_all_ranges_are_not_told_again);
    tcase_add_test(tests, samples_before_the_first_range_are_not_told_as_a_rest);
    tcase_add_test(tests, an_hour_before_the_exporter_is_not_told);
    tcase_add_test(tests, of_who_ended_before_he_was_known_nothing_is_told);
    tcase_add_test(tests, what_was_before_the_session_is_not_told);
    tcase_add_test(tests, each_program_of_a_process_has_its_own_part);
    tcase_add_test(tests, a_program_that_went_on_is_told_once);
    tcase_add_test(tests, a_program_that_went_on_before_the_first_range_is_not_told);
    tcase_add_test(tests, programs_share_a_clock_that_nobody_read_between_them);
    tcase_add_test(tests, samples_beyond_the_own_time_are_of_the_next_program);
    tcase_add_test(tests, a_pid_that_was_used_again_is_another_process);
    tcase_add_test(tests, an_end_before_the_range_is_not_told);
    tcase_add_test(tests, a_range_that_failed_is_told_when_it_is_asked_for_again);
    tcase_add_test(tests, what_was_known_before_lost_ranges_is_not_believed);
    tcase_add_test(tests, what_was_used_between_two_sessions_is_not_told);
    tcase_add_test(tests, a_profile_says_what_an_image_is);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
