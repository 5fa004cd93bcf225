/* daemon.child_table: dormant children, those that are sought, and what is kept of the dead. */
#include <signal.h>
#include <unistd.h>

#include "daemon/memory/exit_store.h"
#include "tests/unit/child_table_scene.h"
#include "tests/unit/run_suite.h"

static void keep_without_arena(struct child *child, enum child_kept next)
{
    close(child->arena_fd);
    child->arena_fd = -1;
    child_set_kept(&table, child, next);
}

START_TEST(a_dormant_child_is_found_after_its_end_and_after_its_exec)
{
    struct child_introduction earlier = introduction_of(10, 90);
    struct child *dormant = add_child(10, 100);
    child_set_dormancy(dormant, CHILD_DORMANT);
    ck_assert_int_eq(child_relate(dormant, &earlier), CHILD_CAME_BEFORE);
    child_end(&table, dormant, VERDICT_EXECED, 0, 150);
    add_child(10, 150);
    add_child(10 + CHILD_TABLE_BUCKETS, 100);
    ck_assert_ptr_eq(child_table_find_dormant(&table, 10, 100), dormant);
    ck_assert_ptr_null(child_table_find_dormant(&table, 10, 150));
    ck_assert_ptr_null(child_table_find_dormant(&table, 11, 100));
}
END_TEST

START_TEST(a_dormant_child_is_found_until_its_hello)
{
    struct child *child = add_child(10, 100);

    ck_assert_ptr_null(child_table_find_dormant(&table, 10, 100));
    child_set_dormancy(child, CHILD_DORMANT);
    child_set_dormancy(child, CHILD_WOKEN);
    ck_assert_ptr_eq(child_table_find_dormant(&table, 10, 100), child);
    child_set_dormancy(child, CHILD_AWAKE);
    ck_assert_ptr_null(child_table_find_dormant(&table, 10, 100));
}
END_TEST

START_TEST(nobody_wakes_who_was_not_dormant)
{
    child_set_dormancy(add_child(10, 100), CHILD_WOKEN);
}
END_TEST

START_TEST(nobody_is_dormant_again_before_its_hello)
{
    struct child *child = add_child(10, 100);

    child_set_dormancy(child, CHILD_DORMANT);
    child_set_dormancy(child, CHILD_WOKEN);
    child_set_dormancy(child, CHILD_DORMANT);
}
END_TEST

START_TEST(who_is_sought_is_counted_once)
{
    struct child *found = add_child(10, 100), *forgotten = add_child(11, 100);

    child_set_search(&table, found, CHILD_SEARCH_DUE);
    child_set_search(&table, forgotten, CHILD_SEARCH_DUE);
    child_set_search(&table, found, CHILD_SEARCH_FAILED_ONCE);
    ck_assert_uint_eq(table.sought, 2);
    child_set_search(&table, found, CHILD_SEARCH_NONE);
    ck_assert_uint_eq(table.sought, 1);
    child_table_remove(&table, forgotten);
    ck_assert_uint_eq(table.sought, 0);
}
END_TEST

START_TEST(nobody_is_missed_who_is_not_sought)
{
    child_set_search(&table, add_child(10, 100), CHILD_SEARCH_FAILED_ONCE);
}
END_TEST

START_TEST(what_is_copied_is_dropped_for_space_and_leaves_its_name)
{
    struct exit_record record;
    struct child *child = add_child(10, 100);

    give_arena(child);
    child_set_kept(&table, child, CHILD_KEPT_TWICE);
    child_set_kept(&table, child, CHILD_KEPT_ARENA);
    keep_without_arena(child, CHILD_KEPT_COPYING);
    child->exit = &record;
    child_set_kept(&table, child, CHILD_KEPT_COPIED);
    ck_assert(!child_is_only_name(child));
    child->exit = NULL;
    child_set_kept(&table, child, CHILD_KEPT_EXPIRED);
    ck_assert(child_is_only_name(child));
    ck_assert_uint_eq(table.names, 1);
}
END_TEST

START_TEST(a_name_is_none_any_more_once_its_arena_comes_late)
{
    struct child *child = add_child(10, 100);

    child_set_kept(&table, child, CHILD_KEPT_NAME);
    ck_assert_uint_eq(table.names, 1);
    give_arena(child);
    ck_assert_uint_eq(table.names, 0);
    keep_without_arena(child, CHILD_KEPT_COPYING);
    child_set_kept(&table, child, CHILD_KEPT_NAME); /* the copy failed */
    ck_assert_uint_eq(table.names, 1);
}
END_TEST

/* Makes a child of which FROM is kept. */
static struct child *add_kept(enum child_kept from)
{
    static struct exit_record record;
    struct child *child = add_child(10, 100);

    child->kept = from;
    if (from == CHILD_KEPT_ARENA || from == CHILD_KEPT_TWICE)
        child->arena_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (from == CHILD_KEPT_COPIED)
        child->exit = &record;
    return child;
}

START_TEST(an_arena_is_not_copied_from_two_places)
{
    struct child *child = add_kept(CHILD_KEPT_TWICE);
    keep_without_arena(child, CHILD_KEPT_COPYING);
}
END_TEST

START_TEST(what_is_unwanted_does_not_come_back)
{
    child_set_kept(&table, add_kept(CHILD_KEPT_UNWANTED), CHILD_KEPT_NAME);
}
END_TEST

START_TEST(nothing_is_copied_without_a_record)
{
    child_set_kept(&table, add_kept(CHILD_KEPT_COPYING), CHILD_KEPT_COPIED);
}
END_TEST

START_TEST(no_arena_is_left_to_whoever_has_a_name_alone)
{
    child_set_kept(&table, add_kept(CHILD_KEPT_ARENA), CHILD_KEPT_NAME);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.child_kept");
    TCase *children = tcase_create("children");
    tcase_add_checked_fixture(children, set_up, tear_down);
    tcase_add_test(children, a_dormant_child_is_found_after_its_end_and_after_its_exec);
    tcase_add_test(children, a_dormant_child_is_found_until_its_hello);
    tcase_add_test_raise_signal(children, nobody_wakes_who_was_not_dormant, SIGABRT);
    tcase_add_test_raise_signal(children, nobody_is_dormant_again_before_its_hello, SIGABRT);
    tcase_add_test(children, who_is_sought_is_counted_once);
    tcase_add_test_raise_signal(children, nobody_is_missed_who_is_not_sought, SIGABRT);
    tcase_add_test(children, what_is_copied_is_dropped_for_space_and_leaves_its_name);
    tcase_add_test(children, a_name_is_none_any_more_once_its_arena_comes_late);
    tcase_add_test_raise_signal(children, an_arena_is_not_copied_from_two_places, SIGABRT);
    tcase_add_test_raise_signal(children, what_is_unwanted_does_not_come_back, SIGABRT);
    tcase_add_test_raise_signal(children, nothing_is_copied_without_a_record, SIGABRT);
    tcase_add_test_raise_signal(children, no_arena_is_left_to_whoever_has_a_name_alone, SIGABRT);
    suite_add_tcase(suite, children);
    return run_suite(suite);
}
