/* Which versions understand each other, and what they say to each other. */
#include <check.h>

#include "ipc/protocol_version.h"
#include "tests/unit/run_suite.h"

static const struct {
    uint64_t version;
    bool is_understood;
} versions[] = {
    { 6, true }, /* as it was before there were minor versions */
    { PROTOCOL_VERSION, true },
    { PROTOCOL_VERSION + (UINT64_C(1) << PROTOCOL_MINOR_BITS), true },
    { UINT64_MAX - 0xffff + PROTOCOL_MAJOR, true },
    { 0, false },
    { PROTOCOL_MAJOR - 1, false },
    { PROTOCOL_MAJOR + 1, false },
    { PROTOCOL_VERSION + 1, false },
    { UINT64_MAX, false },
};

START_TEST(the_major_version_decides)
{
    ck_assert_int_eq(protocol_version_is_understood(versions[_i].version),
                     versions[_i].is_understood);
}
END_TEST

START_TEST(the_lower_minor_version_is_spoken)
{
    ck_assert_uint_eq(protocol_version_with(0), 6);
    ck_assert_uint_eq(protocol_version_with(PROTOCOL_MINOR), PROTOCOL_VERSION);
    ck_assert_uint_eq(protocol_version_with(PROTOCOL_MINOR + 1), PROTOCOL_VERSION);
    ck_assert_uint_eq(protocol_version_with(UINT64_MAX), PROTOCOL_VERSION);
}
END_TEST

START_TEST(a_version_is_made_of_its_parts)
{
    ck_assert_uint_eq(protocol_version_major(PROTOCOL_VERSION), PROTOCOL_MAJOR);
    ck_assert_uint_eq(protocol_version_minor(PROTOCOL_VERSION), PROTOCOL_MINOR);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ipc.protocol_version");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, the_major_version_decides, 0,
                        sizeof(versions) / sizeof(versions[0]));
    tcase_add_test(tcase, the_lower_minor_version_is_spoken);
    tcase_add_test(tcase, a_version_is_made_of_its_parts);
    suite_add_tcase(s, tcase);
    return run_suite(s);
}
