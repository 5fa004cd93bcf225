/* Who may control profd, and whose programs it profiles. */
#include <check.h>
#include <errno.h>
#include <unistd.h>

#include "daemon/access.h"
#include "tests/unit/run_suite.h"

enum { OWNER = 1000, OTHER = 1001, GROUP = 500 };

static const struct access alone = { .owner = OWNER };
static const struct access grouped = { .owner = OWNER, .has_group = true, .group = GROUP };

START_TEST(owner_and_root_may_do_all)
{
    ck_assert_int_eq(access_level(&alone, OWNER, false), ACCESS_OWNER);
    ck_assert_int_eq(access_level(&alone, 0, false), ACCESS_OWNER);
    ck_assert_int_eq(access_level(&grouped, OWNER, true), ACCESS_OWNER);
}
END_TEST

START_TEST(members_are_nobody_without_a_group)
{
    ck_assert_int_eq(access_level(&alone, OTHER, true), ACCESS_NONE);
    ck_assert_int_eq(access_level(&grouped, OTHER, true), ACCESS_GROUP);
    ck_assert_int_eq(access_level(&grouped, OTHER, false), ACCESS_NONE);
}
END_TEST

START_TEST(agents_of_others_only_when_all_are_taken)
{
    struct access all = alone;

    all.takes_all_agents = true;
    ck_assert(access_takes_agent(&alone, OWNER));
    ck_assert(access_takes_agent(&alone, 0));
    ck_assert(!access_takes_agent(&alone, OTHER));
    ck_assert(!access_takes_agent(&grouped, OTHER));
    ck_assert(access_takes_agent(&all, OTHER));
}
END_TEST

START_TEST(groups_have_names_or_numbers)
{
    struct access access;

    ck_assert_int_eq(access_init(&access, "root", false), 0);
    ck_assert(access.has_group && access.group == 0);
    ck_assert_int_eq(access_init(&access, "54321", true), 0);
    ck_assert_uint_eq(access.group, 54321);
    ck_assert(access.takes_all_agents);
    ck_assert_uint_eq(access.owner, geteuid());
    ck_assert_int_eq(access_init(&access, NULL, false), 0);
    ck_assert(!access.has_group);
}
END_TEST

START_TEST(what_is_no_group_is_refused)
{
    static const char *const names[] = { "no-such-group", "12x",         "-1",
                                         "4294967295",    "99999999999", "" };
    struct access access;

    ck_assert_int_eq(access_init(&access, names[_i], false), -ENOENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("access");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, owner_and_root_may_do_all);
    tcase_add_test(tests, members_are_nobody_without_a_group);
    tcase_add_test(tests, agents_of_others_only_when_all_are_taken);
    tcase_add_test(tests, groups_have_names_or_numbers);
    tcase_add_loop_test(tests, what_is_no_group_is_refused, 0, 6);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
