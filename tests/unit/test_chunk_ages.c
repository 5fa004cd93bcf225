/* daemon.chunk_ages: a queue in the order of age, that grows while it goes round. */
#include <check.h>
#include <stdint.h>

#include "daemon/memory/chunk_ages.h"
#include "tests/unit/run_suite.h"

static struct chunk_ages ages;

static void set_up(void)
{
    ages = (struct chunk_ages){ 0 };
}

static void tear_down(void)
{
    chunk_ages_free(&ages);
    ck_assert_ptr_null(ages.items);
    ck_assert_uint_eq(ages.count, 0);
}

static struct chunk_age age_of(uint64_t done_ns)
{
    return (struct chunk_age){ done_ns, (uint32_t)done_ns * 2, (uint32_t)done_ns * 3 };
}

/* All that is in, oldest first, leaves as EXPECTED. */
static void assert_leave(const uint64_t *expected, uint32_t count)
{
    ck_assert_uint_eq(ages.count, count);
    for (uint32_t i = 0; i < count; i++) {
        struct chunk_age oldest = chunk_ages_pop_front(&ages);
        ck_assert_uint_eq(oldest.done_ns, expected[i]);
        ck_assert_uint_eq(oldest.bytes, expected[i] * 2);
        ck_assert_uint_eq(oldest.slot, expected[i] * 3);
    }
    ck_assert_uint_eq(ages.count, 0);
}

START_TEST(the_newest_goes_to_the_end_and_the_oldest_to_the_front)
{
    ck_assert_int_eq(chunk_ages_push_back(&ages, age_of(5)), 0);
    ck_assert_int_eq(chunk_ages_push_back(&ages, age_of(6)), 0);
    ck_assert_int_eq(chunk_ages_push_front(&ages, age_of(4)), 0);
    ck_assert_int_eq(chunk_ages_push_front(&ages, age_of(3)), 0);
    assert_leave((uint64_t[]){ 3, 4, 5, 6 }, 4);
}
END_TEST

START_TEST(one_that_comes_late_goes_where_its_time_belongs)
{
    ck_assert_int_eq(chunk_ages_insert(&ages, age_of(7)), 0);
    ck_assert_int_eq(chunk_ages_insert(&ages, age_of(3)), 0);
    ck_assert_int_eq(chunk_ages_insert(&ages, age_of(5)), 0);
    ck_assert_int_eq(chunk_ages_insert(&ages, age_of(9)), 0);
    assert_leave((uint64_t[]){ 3, 5, 7, 9 }, 4);
}
END_TEST

START_TEST(of_two_of_one_time_the_first_that_came_goes_first)
{
    struct chunk_age first = { .done_ns = 5, .slot = 1 }, second = { .done_ns = 5, .slot = 2 };

    ck_assert_int_eq(chunk_ages_insert(&ages, first), 0);
    ck_assert_int_eq(chunk_ages_insert(&ages, second), 0);
    ck_assert_uint_eq(chunk_ages_pop_front(&ages).slot, 1);
    ck_assert_uint_eq(chunk_ages_pop_front(&ages).slot, 2);
}
END_TEST

START_TEST(it_grows_in_the_middle_of_its_ring)
{
    uint64_t oldest = 1;

    for (uint64_t next = 1; next <= 1000; next++) {
        ck_assert_int_eq(chunk_ages_push_back(&ages, age_of(next)), 0);
        if (next % 3 == 0)
            ck_assert_uint_eq(chunk_ages_pop_front(&ages).done_ns, oldest++);
    }
    while (ages.count > 0)
        ck_assert_uint_eq(chunk_ages_pop_front(&ages).done_ns, oldest++);
    ck_assert_uint_eq(oldest, 1001);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chunk_ages");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_newest_goes_to_the_end_and_the_oldest_to_the_front);
    tcase_add_test(all, one_that_comes_late_goes_where_its_time_belongs);
    tcase_add_test(all, of_two_of_one_time_the_first_that_came_goes_first);
    tcase_add_test(all, it_grows_in_the_middle_of_its_ring);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
