/* child-agent.guest.address_space: of the addresses that a program may have, most are its own. */
#include <check.h>
#include <sys/resource.h>

#include "child-agent/guest/address_space.h"
#include "tests/unit/run_suite.h"

enum { MB = 1024 * 1024, OWN_THREADS = 3 };

static const struct {
    uint64_t limit_bytes;
    uint64_t least_chunk_bytes;
} limits[] = {
    { UINT64_C(48) * MB, MB / 3 },
    { UINT64_C(60) * MB, MB / 2 },
    { UINT64_C(400) * MB, 10 * MB },
    { UINT64_C(64) * 1024 * MB, 1024 * (uint64_t)MB },
};

START_TEST(all_shares_together_are_less_than_a_tenth)
{
    uint64_t limit = limits[_i].limit_bytes, sum = 0;
    for (int use = 0; use < ADDRESS_USE_COUNT; use++)
        sum += address_space_share_of(limit, (enum address_use)use) *
               (use == ADDRESSES_THREAD_STACK ? OWN_THREADS : 1);
    ck_assert_uint_lt(sum, limit / 10);
    ck_assert_uint_ge(address_space_share_of(limit, ADDRESSES_CHUNKS),
                      limits[_i].least_chunk_bytes);
}
END_TEST

START_TEST(of_too_few_nothing_is_taken)
{
    for (int use = 0; use < ADDRESS_USE_COUNT; use++)
        ck_assert_uint_eq(address_space_share_of(16 * MB, (enum address_use)use), 0);
}
END_TEST

START_TEST(a_share_is_no_more_than_usual)
{
    const struct rlimit few = { .rlim_cur = UINT64_C(60) * MB, .rlim_max = RLIM_INFINITY };
    struct rlimit before;
    ck_assert_uint_eq(address_space_within(ADDRESSES_ROOMS, MB), MB);
    ck_assert(address_space_is_enough());
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &few), 0);
    uint64_t much = address_space_within(ADDRESSES_ROOMS, MB);
    uint64_t little = address_space_within(ADDRESSES_ROOMS, 1);
    bool enough = address_space_is_enough();
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0); /* sanitizers map memory at the end */
    ck_assert_uint_lt(much, MB);
    ck_assert_uint_eq(little, 1);
    ck_assert(enough);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.guest.address_space");
    TCase *tests = tcase_create("address_space");
    tcase_add_loop_test(tests, all_shares_together_are_less_than_a_tenth, 0,
                        sizeof(limits) / sizeof(limits[0]));
    tcase_add_test(tests, of_too_few_nothing_is_taken);
    tcase_add_test(tests, a_share_is_no_more_than_usual);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
