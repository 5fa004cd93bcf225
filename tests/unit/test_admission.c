/* daemon.admission */
#include <check.h>
#include <stdint.h>

#include "daemon/agents/admission.h"
#include "tests/unit/run_suite.h"

enum { OWNER = 1000, STRANGER = 2000, DESCRIPTORS = 20000, LOW = 4 };

static struct admission admission;

static void open_doors(void)
{
    admission_init(&admission, OWNER, DESCRIPTORS);
}

static int enter_connections(uid_t uid, int connections)
{
    int entered = 0;

    for (int i = 0; i < connections; i++)
        entered += admission_enter(&admission, uid, LOW);
    return entered;
}

START_TEST(strangers_are_all_but_root_and_the_owner)
{
    ck_assert(!admission_is_stranger(&admission, 0));
    ck_assert(!admission_is_stranger(&admission, OWNER));
    ck_assert(admission_is_stranger(&admission, STRANGER));
    ck_assert(admission_is_stranger(&admission, (uid_t)-1));
}
END_TEST

START_TEST(a_stranger_gets_a_few)
{
    ck_assert_int_eq(enter_connections(STRANGER, 1000), ADMISSION_SILENT_OF_USER);
    ck_assert_int_eq(enter_connections(STRANGER + 1, 1), 1);
}
END_TEST

START_TEST(who_leaves_makes_room_for_one)
{
    enter_connections(STRANGER, ADMISSION_SILENT_OF_USER);
    enter_connections(STRANGER + 1, 3);
    admission_leave(&admission, STRANGER);
    ck_assert_int_eq(enter_connections(STRANGER, 2), 1);
    for (int i = 0; i < ADMISSION_SILENT_OF_USER; i++)
        admission_leave(&admission, STRANGER);
    ck_assert_uint_eq(admission.users, 1);
    ck_assert_uint_eq(admission.silent, 3);
    ck_assert_int_eq(enter_connections(STRANGER, 1000), ADMISSION_SILENT_OF_USER);
}
END_TEST

START_TEST(all_strangers_together_get_a_few)
{
    int entered = 0;

    for (uid_t i = 0; i < 1000; i++)
        entered += enter_connections(STRANGER + i, 1);
    ck_assert_int_eq(entered, ADMISSION_SILENT_OF_ALL);
    for (uid_t i = 0; i < ADMISSION_SILENT_OF_ALL; i++)
        admission_leave(&admission, STRANGER + i);
    ck_assert_uint_eq(admission.users, 0);
    ck_assert_int_eq(enter_connections(STRANGER, 1), 1);
}
END_TEST

START_TEST(a_stranger_who_got_nothing_is_not_remembered)
{
    for (uid_t i = 0; i < 4; i++)
        enter_connections(STRANGER + i, 1000);
    ck_assert_int_eq(enter_connections(STRANGER + 4, 1), 0);
    ck_assert_uint_eq(admission.users, 4);
}
END_TEST

START_TEST(root_and_the_owner_get_what_there_is)
{
    for (uid_t i = 0; i < 1000; i++)
        enter_connections(STRANGER + i, 10);
    ck_assert_int_eq(enter_connections(0, DESCRIPTORS), DESCRIPTORS);
    ck_assert_int_eq(enter_connections(OWNER, DESCRIPTORS), DESCRIPTORS);
    ck_assert(admission_enter(&admission, OWNER, DESCRIPTORS - 1));
    admission_leave(&admission, OWNER);
    ck_assert_uint_eq(admission.silent, ADMISSION_SILENT_OF_ALL);
    ck_assert_uint_eq(admission.owner_silent, 2 * DESCRIPTORS);
}
END_TEST

START_TEST(the_owner_and_root_are_over_beyond_a_quarter)
{
    enum { SHARE = DESCRIPTORS / 4 / ADMISSION_OWNER_DESCRIPTORS };

    enter_connections(STRANGER, 10);
    enter_connections(OWNER, SHARE - 1);
    enter_connections(0, 1);
    ck_assert(!admission_owner_is_over(&admission));
    enter_connections(0, 1);
    ck_assert(admission_owner_is_over(&admission));
    admission_leave(&admission, STRANGER);
    ck_assert(admission_owner_is_over(&admission));
    admission_leave(&admission, OWNER);
    ck_assert(!admission_owner_is_over(&admission));
}
END_TEST

START_TEST(the_owner_may_have_one_of_no_descriptors)
{
    admission_init(&admission, OWNER, 0);
    enter_connections(OWNER, 1);
    ck_assert(!admission_owner_is_over(&admission));
    enter_connections(OWNER, 1);
    ck_assert(admission_owner_is_over(&admission));
}
END_TEST

START_TEST(the_reserve_is_the_owners)
{
    ck_assert(admission_enter(&admission, STRANGER, DESCRIPTORS / 4 * 3 - 1));
    ck_assert(!admission_enter(&admission, STRANGER, DESCRIPTORS / 4 * 3));
    ck_assert(admission_enter(&admission, 0, DESCRIPTORS / 4 * 3));
}
END_TEST

/* Silent strangers whose first message brings four descriptors more, beside the reserve. */
START_TEST(few_descriptors_leave_fewer_to_strangers)
{
    static const size_t limits[] = { 8, 16, 64, 256, 1024, 4096, SIZE_MAX };
    size_t entered = 0;

    admission_init(&admission, OWNER, limits[_i]);
    for (uid_t i = 0; i < 300; i++)
        entered += (size_t)enter_connections(STRANGER + i, 2);
    ck_assert_uint_ge(entered, 1);
    ck_assert_uint_le(entered * 5, limits[_i] - limits[_i] / 4);
    ck_assert_uint_le(entered, ADMISSION_SILENT_OF_ALL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.admission");
    TCase *rules = tcase_create("rules");

    tcase_add_checked_fixture(rules, open_doors, NULL);
    tcase_add_test(rules, strangers_are_all_but_root_and_the_owner);
    tcase_add_test(rules, a_stranger_gets_a_few);
    tcase_add_test(rules, who_leaves_makes_room_for_one);
    tcase_add_test(rules, all_strangers_together_get_a_few);
    tcase_add_test(rules, a_stranger_who_got_nothing_is_not_remembered);
    tcase_add_test(rules, root_and_the_owner_get_what_there_is);
    tcase_add_test(rules, the_owner_and_root_are_over_beyond_a_quarter);
    tcase_add_test(rules, the_owner_may_have_one_of_no_descriptors);
    tcase_add_test(rules, the_reserve_is_the_owners);
    tcase_add_loop_test(rules, few_descriptors_leave_fewer_to_strangers, 0, 7);
    suite_add_tcase(suite, rules);
    return run_suite(suite);
}
