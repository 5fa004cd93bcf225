/* A range is in the spool as a whole, or is exported again. */
#include <check.h>

#include "profctl/export/coverage.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/spool_scene.h"

enum { START_NS = 100, FIRST_END_NS = 200, SECOND_END_NS = 300, NOW_NS = 1000 };

static struct spool *spool;
static struct coverage coverage;

static void set_up(void)
{
    make_folder();
    spool = open_spool(LIMIT_BYTES);
    ck_assert_uint_eq(coverage_resume(&coverage, spool, START_NS), START_NS);
}

static void tear_down(void)
{
    spool_close(spool);
    remove_folder();
}

static void add(uint64_t id)
{
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, id, "rows"), 0);
}

/* Where another exporter begins when this one is killed. */
static uint64_t resume(void)
{
    spool_close(spool);
    spool = open_spool(LIMIT_BYTES);
    return coverage_resume(&coverage, spool, NOW_NS);
}

static void expect_batches(uint64_t first, uint64_t count)
{
    for (uint64_t id = first; id < first + count; id++) {
        ck_assert_uint_eq(first_id(spool), id);
        spool_remove_first(spool);
    }
    ck_assert_uint_eq(first_id(spool), 0);
}

static void export_first_range(void)
{
    coverage_begin(&coverage, START_NS);
    add(1);
    add(2);
    coverage_end(&coverage, FIRST_END_NS);
}

START_TEST(a_whole_range_stays)
{
    export_first_range();
    ck_assert_uint_eq(resume(), FIRST_END_NS);
    expect_batches(1, 2);
}
END_TEST

START_TEST(a_part_of_a_range_is_exported_again)
{
    export_first_range();
    coverage_begin(&coverage, FIRST_END_NS);
    add(3);
    ck_assert_uint_eq(resume(), FIRST_END_NS);
    coverage_begin(&coverage, FIRST_END_NS);
    add(3);
    add(4);
    coverage_end(&coverage, SECOND_END_NS);
    ck_assert_uint_eq(resume(), SECOND_END_NS);
    expect_batches(1, 4);
    ck_assert_uint_eq(spool_losses(spool)->batches, 0);
}
END_TEST

START_TEST(a_range_without_a_batch_is_exported_again)
{
    export_first_range();
    coverage_begin(&coverage, FIRST_END_NS);
    ck_assert_uint_eq(resume(), FIRST_END_NS);
    ck_assert_uint_eq(resume(), FIRST_END_NS);
    expect_batches(1, 2);
}
END_TEST

/* Numbers begin anew with a spool that is empty. */
START_TEST(what_follows_a_range_that_was_undone_stays)
{
    export_first_range();
    spool_remove_first(spool);
    spool_remove_first(spool);
    coverage_begin(&coverage, FIRST_END_NS);
    ck_assert_uint_eq(resume(), FIRST_END_NS);
    add(3);
    ck_assert_uint_eq(resume(), FIRST_END_NS);
    expect_batches(3, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.coverage");
    TCase *tests = tcase_create("ranges");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_whole_range_stays);
    tcase_add_test(tests, a_part_of_a_range_is_exported_again);
    tcase_add_test(tests, a_range_without_a_batch_is_exported_again);
    tcase_add_test(tests, what_follows_a_range_that_was_undone_stays);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
