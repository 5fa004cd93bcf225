/* child-agent.guest.address_space: of the addresses and the data that a program may have, most are
 * its own. */
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

static uint64_t sum_of_shares(enum address_limit limit, uint64_t limit_bytes)
{
    uint64_t sum = 0;
    for (int use = 0; use < ADDRESS_USE_COUNT; use++) {
        uint64_t share = address_space_share_of(limit, limit_bytes, (enum address_use)use);
        if (share != UINT64_MAX)
            sum += share * (use == ADDRESSES_THREAD_STACK ? OWN_THREADS : 1);
    }
    return sum;
}

START_TEST(all_shares_together_are_less_than_a_tenth)
{
    uint64_t limit_bytes = limits[_i].limit_bytes;
    ck_assert_uint_lt(sum_of_shares(LIMIT_OF_ADDRESSES, limit_bytes), limit_bytes / 10);
    ck_assert_uint_lt(sum_of_shares(LIMIT_OF_DATA, limit_bytes), limit_bytes / 10);
    ck_assert_uint_gt(sum_of_shares(LIMIT_OF_DATA, limit_bytes), 0);
    ck_assert_uint_ge(address_space_share_of(LIMIT_OF_ADDRESSES, limit_bytes, ADDRESSES_CHUNKS),
                      limits[_i].least_chunk_bytes);
}
END_TEST

START_TEST(of_too_few_nothing_is_taken)
{
    ck_assert_uint_eq(sum_of_shares(LIMIT_OF_ADDRESSES, 16 * MB), 0);
    ck_assert_uint_eq(sum_of_shares(LIMIT_OF_DATA, 16 * MB), 0);
}
END_TEST

START_TEST(what_is_shared_with_others_is_no_data)
{
    ck_assert_uint_eq(address_space_share_of(LIMIT_OF_DATA, 16 * MB, ADDRESSES_CHUNKS), UINT64_MAX);
}
END_TEST

static const int resources[] = { RLIMIT_AS, RLIMIT_DATA };

START_TEST(a_share_is_no_more_than_usual)
{
    const struct rlimit few = { .rlim_cur = UINT64_C(60) * MB, .rlim_max = RLIM_INFINITY };
    struct rlimit before;
    int resource = resources[_i];
    ck_assert_uint_eq(address_space_within(ADDRESSES_ROOMS, MB), MB);
    ck_assert(address_space_is_enough());
    ck_assert_int_eq(getrlimit(resource, &before), 0);
    ck_assert_int_eq(setrlimit(resource, &few), 0);
    uint64_t much = address_space_within(ADDRESSES_ROOMS, MB);
    uint64_t little = address_space_within(ADDRESSES_ROOMS, 1);
    bool enough = address_space_is_enough();
    ck_assert_int_eq(setrlimit(resource, &before), 0); /* sanitizers map memory at the end */
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
    tcase_add_test(tests, what_is_shared_with_others_is_no_data);
    tcase_add_loop_test(tests, a_share_is_no_more_than_usual, 0,
                        sizeof(resources) / sizeof(resources[0]));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
