/* Ranges of time that are exported: each moment once. */
#include <check.h>
#include <stdlib.h>

#include "profctl/export/export_range.h"
#include "tests/unit/run_suite.h"

static const uint64_t ms = 1000000, second = 1000000000, minute = UINT64_C(60) * 1000000000;

START_TEST(a_minute_is_taken_when_it_is_over)
{
    struct export_range range;
    struct export_clocks now = { .monotonic_ns = 500 * second,
                                 .unix_ns = (int64_t)(90 * minute + second) };

    ck_assert(!export_range_next(440 * second, minute, &now, &range)); /* too early to be read */
    now.unix_ns += (int64_t)second;
    ck_assert(export_range_next(440 * second, minute, &now, &range));
    ck_assert_uint_eq(range.from_ns, 440 * second);
    ck_assert_uint_eq(range.to_ns, 498 * second);
    ck_assert_uint_ge(range.ask_last_ms, 60 * 1000 + EXPORT_OVERLAP_MS);
    ck_assert_uint_eq(range.lost_ms, 0);
}
END_TEST

/* Whatever the wall clock does, a day ahead or back, or a bit at a time. */
START_TEST(ranges_follow_each_other_without_gap_or_overlap)
{
    uint64_t covered = 1000 * second, taken = 0;
    int64_t offset = (int64_t)(12345 * minute);

    srand(1);
    for (uint64_t now_ns = covered; now_ns < 10000 * second; now_ns += 100 * ms) {
        struct export_clocks now = { now_ns, (int64_t)now_ns + offset };
        struct export_range range;
        if (rand() % 100 == 0)
            offset += (rand() % 2 == 0 ? 1 : -1) * (int64_t)((uint64_t)rand() % (24 * 60) * minute);
        offset += rand() % 1000 - 500;
        if (!export_range_next(covered, minute, &now, &range))
            continue;
        ck_assert_uint_eq(range.from_ns, covered);
        ck_assert_uint_eq(range.lost_ms, 0);
        ck_assert_uint_gt(range.to_ns, range.from_ns);
        ck_assert_uint_le(range.to_ns + EXPORT_GRACE_MS * ms, now_ns);
        ck_assert_uint_ge(range.ask_last_ms * ms, now_ns - range.from_ns);
        covered = range.to_ns;
        taken++;
    }
    ck_assert_uint_gt(taken, 100);
}
END_TEST

START_TEST(what_is_too_long_ago_is_counted_as_lost)
{
    struct export_range range;
    const struct export_clocks now = { .monotonic_ns = 10000 * second,
                                       .unix_ns = (int64_t)(100 * minute + 2 * second) };

    ck_assert(export_range_next(1000 * second, minute, &now, &range));
    ck_assert_uint_eq(range.to_ns - range.from_ns, EXPORT_MAX_MS * ms);
    ck_assert_uint_eq(range.lost_ms * ms, range.from_ns - 1000 * second);
}
END_TEST

/* "Minutes" of as much as an hour: each moment of them is exported, those before the first whole
 * one too. */
START_TEST(long_minutes_are_exported_whole)
{
    for (uint64_t every = minute; every <= 60 * minute; every += minute) {
        uint64_t begun = 100000 * second, covered = begun;
        for (uint64_t now_ns = begun; now_ns < begun + 3 * every; now_ns += second) {
            struct export_clocks now = { now_ns, (int64_t)(now_ns + 1000 * 60 * minute) };
            struct export_range range;
            if (!export_range_next(covered, every, &now, &range))
                continue;
            ck_assert_uint_eq(range.lost_ms, 0);
            ck_assert_uint_eq(range.from_ns, covered);
            covered = range.to_ns;
        }
        ck_assert_uint_gt(covered, begun + every);
    }
}
END_TEST

START_TEST(the_rest_is_up_to_now)
{
    struct export_range range;
    const struct export_clocks now = { .monotonic_ns = 10000 * second, .unix_ns = 0 };

    ck_assert(!export_range_rest(10000 * second, minute, &now, &range));
    ck_assert(export_range_rest(9990 * second, minute, &now, &range));
    ck_assert_uint_eq(range.from_ns, 9990 * second);
    ck_assert_uint_eq(range.to_ns, 10000 * second);
    ck_assert_uint_eq(range.lost_ms, 0);
    ck_assert(export_range_rest(1000 * second, minute, &now, &range));
    ck_assert_uint_eq(range.to_ns - range.from_ns, EXPORT_MAX_MS * ms);
    ck_assert_uint_eq(range.lost_ms, (9000 - 600) * 1000);
}
END_TEST

START_TEST(the_next_look_is_when_a_minute_has_ended)
{
    for (uint64_t into_ms = 0; into_ms < 60000; into_ms += 250) {
        const struct export_clocks now = { .monotonic_ns = 10000 * second,
                                           .unix_ns = (int64_t)(100 * minute + into_ms * ms) };
        uint64_t wait_ms = export_range_wait_ms(minute, &now);
        const struct export_clocks then = { now.monotonic_ns + wait_ms * ms,
                                            now.unix_ns + (int64_t)(wait_ms * ms) };
        struct export_range range;
        ck_assert_uint_le(wait_ms, 60001);
        ck_assert(export_range_next(now.monotonic_ns - 60 * second, minute, &then, &range));
        ck_assert_uint_lt(then.monotonic_ns - range.to_ns, EXPORT_GRACE_MS * ms + 3 * ms);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.export_range");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, a_minute_is_taken_when_it_is_over);
    tcase_add_test(claims, ranges_follow_each_other_without_gap_or_overlap);
    tcase_add_test(claims, what_is_too_long_ago_is_counted_as_lost);
    tcase_add_test(claims, long_minutes_are_exported_whole);
    tcase_add_test(claims, the_rest_is_up_to_now);
    tcase_add_test(claims, the_next_look_is_when_a_minute_has_ended);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
