/* daemon.child_table: children, their images and their ends. */
#include <signal.h>

#include "daemon/children/child_table.h"
#include "tests/unit/child_table_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(a_new_child_is_connected_and_lives)
{
    struct child *child = add_child(10, 100);

    ck_assert_int_eq(child->state, CHILD_CONNECTED);
    ck_assert_int_eq(child->verdict, VERDICT_LIVE);
    ck_assert_str_eq(child->executable, "/bin/true");
    ck_assert_int_eq(child->arena_fd, -1);
    ck_assert_uint_eq(child->image, 0);
}
END_TEST

START_TEST(the_last_image_of_a_pid_has_none_after_it)
{
    const struct child *first = add_child(10, 100);
    const struct child *second = add_child(10, 200);
    ck_assert_uint_eq(child_table_later_images(&table, first), 1);
    ck_assert_uint_eq(child_table_later_images(&table, second), 0);
}
END_TEST

START_TEST(images_of_a_pid_are_numbered)
{
    add_child(10, 100);
    add_child(11, 100);
    ck_assert_uint_eq(add_child(10, 200)->image, 1);
    ck_assert_uint_eq(add_child(10, 300)->image, 2);
    ck_assert_uint_eq(add_child(11, 300)->image, 1);
}
END_TEST

START_TEST(the_latest_of_a_pid_is_found)
{
    struct child *first = add_child(10, 100);
    struct child *other = add_child(10 + CHILD_TABLE_BUCKETS, 100); /* in the same bucket */
    struct child *second = add_child(10, 200);

    ck_assert_ptr_eq(child_table_find_latest(&table, 10), second);
    ck_assert_ptr_eq(child_table_find_latest(&table, 10 + CHILD_TABLE_BUCKETS), other);
    ck_assert_ptr_null(child_table_find_latest(&table, 12));
    child_table_remove(&table, second);
    ck_assert_ptr_eq(child_table_find_latest(&table, 10), first);
    child_table_remove(&table, first);
    ck_assert_ptr_null(child_table_find_latest(&table, 10));
}
END_TEST

START_TEST(children_are_listed_in_the_order_of_their_hellos)
{
    add_child(3, 0);
    struct child *middle = add_child(1, 0);
    add_child(2, 0);
    child_table_remove(&table, middle);
    ck_assert_int_eq(table.first->pid, 3);
    ck_assert_int_eq(table.first->next->pid, 2);
    ck_assert_ptr_eq(table.last, table.first->next);
    ck_assert_ptr_eq(table.last->previous, table.first);
}
END_TEST

START_TEST(an_end_is_counted)
{
    struct child *child = add_child(10, 100);

    child_end(&table, child, VERDICT_EXITED, 3, 500);
    ck_assert_int_eq(child->state, CHILD_ENDED);
    ck_assert_int_eq(child->verdict, VERDICT_EXITED);
    ck_assert_int_eq(child->code, 3);
    ck_assert_uint_eq(child->end_ns, 500);
    ck_assert_uint_eq(table.ended, 1);
}
END_TEST

START_TEST(a_child_comes_back_until_it_ends)
{
    struct child *child = add_child(10, 100);

    child_detach(child);
    ck_assert_int_eq(child->state, CHILD_DETACHED);
    child_reconnect(child);
    ck_assert_int_eq(child->state, CHILD_CONNECTED);
    child_detach(child);
    child_end(&table, child, VERDICT_EXITED, 0, 1);
    ck_assert_int_eq(child->state, CHILD_ENDED);
}
END_TEST

static struct child *add_ended(void)
{
    struct child *child = add_child(10, 100);

    child_end(&table, child, VERDICT_EXITED, 0, 1);
    return child;
}

START_TEST(a_child_that_ended_does_not_come_back)
{
    child_reconnect(add_ended());
}
END_TEST

START_TEST(a_child_that_ended_has_no_connection_to_lose)
{
    child_detach(add_ended());
}
END_TEST

START_TEST(only_an_end_is_corrected)
{
    child_correct_end(add_child(10, 100), VERDICT_EXITED, 0, 200);
}
END_TEST

START_TEST(an_end_is_corrected_to_what_it_was)
{
    struct child *child = add_child(10, 100);

    child_end(&table, child, VERDICT_VANISHED, 0, 300);
    child_correct_end(child, VERDICT_KILLED, 9, 250);
    ck_assert_int_eq(child->verdict, VERDICT_KILLED);
    ck_assert_int_eq(child->code, 9);
    ck_assert_uint_eq(child->end_ns, 250);
    ck_assert_uint_eq(table.ended, 1);
}
END_TEST

START_TEST(an_end_that_is_known_is_no_other)
{
    child_correct_end(add_ended(), VERDICT_KILLED, 9, 200);
}
END_TEST

START_TEST(an_end_may_have_been_an_exec_or_an_exec_none)
{
    struct child *child = add_ended();

    child_correct_end(child, VERDICT_EXITED, 0, 90); /* earlier */
    child_correct_end(child, VERDICT_EXECED, 0, 80);
    ck_assert_int_eq(child->verdict, VERDICT_EXECED);
    child_correct_end(child, VERDICT_KILLED, 9, 95);
    ck_assert_int_eq(child->verdict, VERDICT_KILLED);
}
END_TEST

START_TEST(an_exec_that_was_not_made_leaves_nothing)
{
    struct child *child = add_child(10, 100);

    child_begin_exec(child, 200, "/bin/first", OBSTACLE_STATIC);
    child_begin_exec(child, 210, "/bin/second", OBSTACLE_STATIC);
    ck_assert_uint_eq(child->exec.start_ns, 210);
    ck_assert_str_eq(child->exec.path, "/bin/second");
    child_cancel_exec(child);
    ck_assert_uint_eq(child->exec.start_ns, 0);
    ck_assert_ptr_null(child->exec.path);
    ck_assert_int_eq(child->exec.obstacle, OBSTACLE_NONE);
}
END_TEST

START_TEST(a_child_does_not_end_twice)
{
    child_end(&table, add_ended(), VERDICT_KILLED, 9, 600);
}
END_TEST

START_TEST(a_connected_child_does_not_connect_again)
{
    child_reconnect(add_child(10, 100));
}
END_TEST

START_TEST(wait_statuses_are_verdicts)
{
    int code = -1;

    ck_assert_int_eq(child_verdict_of(3 << 8, &code), VERDICT_EXITED);
    ck_assert_int_eq(code, 3);
    ck_assert_int_eq(child_verdict_of(SIGSEGV | 0x80, &code), VERDICT_KILLED); /* with a core */
    ck_assert_int_eq(code, SIGSEGV);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.child_table");
    TCase *children = tcase_create("children");
    tcase_add_checked_fixture(children, set_up, tear_down);
    tcase_add_test(children, a_new_child_is_connected_and_lives);
    tcase_add_test(children, the_last_image_of_a_pid_has_none_after_it);
    tcase_add_test(children, images_of_a_pid_are_numbered);
    tcase_add_test(children, the_latest_of_a_pid_is_found);
    tcase_add_test(children, children_are_listed_in_the_order_of_their_hellos);
    tcase_add_test(children, an_end_is_counted);
    tcase_add_test(children, a_child_comes_back_until_it_ends);
    tcase_add_test_raise_signal(children, a_child_that_ended_does_not_come_back, SIGABRT);
    tcase_add_test_raise_signal(children, a_child_that_ended_has_no_connection_to_lose, SIGABRT);
    tcase_add_test_raise_signal(children, a_child_does_not_end_twice, SIGABRT);
    tcase_add_test_raise_signal(children, only_an_end_is_corrected, SIGABRT);
    tcase_add_test_raise_signal(children, an_end_that_is_known_is_no_other, SIGABRT);
    tcase_add_test(children, an_end_may_have_been_an_exec_or_an_exec_none);
    tcase_add_test(children, an_end_is_corrected_to_what_it_was);
    tcase_add_test(children, an_exec_that_was_not_made_leaves_nothing);
    tcase_add_test_raise_signal(children, a_connected_child_does_not_connect_again, SIGABRT);
    tcase_add_test(children, wait_statuses_are_verdicts);
    suite_add_tcase(suite, children);
    return run_suite(suite);
}
