/* daemon.child_table */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "daemon/children/child_table.h"
#include "daemon/memory/exit_store.h"

static struct child_table table;

static void set_up(void)
{
    memset(&table, 0, sizeof(table));
}

static void tear_down(void)
{
    while (table.first != NULL)
        child_table_remove(&table, table.first);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(table.ended, 0);
    ck_assert_uint_eq(table.names, 0);
}

static struct child_introduction introduction_of(pid_t pid, uint64_t start_ns)
{
    return (struct child_introduction){
        .pid = pid,
        .parent_pid = 1,
        .start_ns = start_ns,
        .executable = "/bin/true and more",
        .executable_length = strlen("/bin/true"),
    };
}

static struct child *add_child(pid_t pid, uint64_t start_ns)
{
    struct child_introduction who = introduction_of(pid, start_ns);
    struct child *child = child_table_add(&table, &who);
    ck_assert_ptr_nonnull(child);
    return child;
}

static void give_arena(struct child *child)
{
    child->arena_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(child->arena_fd, 0);
    child_set_kept(&table, child, CHILD_KEPT_ARENA);
}

static void keep_without_arena(struct child *child, enum child_kept next)
{
    close(child->arena_fd);
    child->arena_fd = -1;
    child_set_kept(&table, child, next);
}

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

static const struct {
    const char *name;
    enum child_state earlier_state;
    uint64_t earlier_identity, identity;
    uint64_t start_ns; /* the earlier one's is 100 */
    bool is_fork;
    enum child_relation expect;
} meetings[] = {
    { "connects again", CHILD_DETACHED, 7, 7, 100, false, CHILD_IS_SAME_IMAGE },
    { "connects again, old socket unnoticed", CHILD_CONNECTED, 0, 0, 100, false,
      CHILD_IS_SAME_IMAGE },
    { "exec, hello before the old socket's end", CHILD_CONNECTED, 7, 7, 200, false,
      CHILD_DID_EXEC },
    { "exec, hello after it", CHILD_DETACHED, 7, 7, 200, false, CHILD_DID_EXEC },
    { "exec and ended before the hello was read", CHILD_ENDED, 7, 7, 200, false, CHILD_DID_EXEC },
    { "exec on an old kernel", CHILD_DETACHED, 0, 0, 200, false, CHILD_DID_EXEC },
    { "pid used again by a fork", CHILD_ENDED, 7, 8, 200, true, CHILD_IS_NEW },
    { "pid used again, end unnoticed", CHILD_CONNECTED, 7, 8, 200, true, CHILD_REUSES_PID },
    { "pid used again on an old kernel", CHILD_ENDED, 0, 0, 200, false, CHILD_IS_NEW },
    { "pid used again by a fork on an old kernel", CHILD_CONNECTED, 0, 0, 200, true,
      CHILD_REUSES_PID },
};

START_TEST(a_hello_meets_what_is_known_of_its_pid)
{
    struct child *earlier = add_child(10, 100);
    struct child_introduction who = introduction_of(10, meetings[_i].start_ns);

    earlier->identity = meetings[_i].earlier_identity;
    who.identity = meetings[_i].identity;
    who.is_fork = meetings[_i].is_fork;
    if (meetings[_i].earlier_state == CHILD_DETACHED)
        child_detach(earlier);
    if (meetings[_i].earlier_state == CHILD_ENDED)
        child_end(&table, earlier, VERDICT_EXITED, 0, 150);
    ck_assert_msg(child_relate(earlier, &who) == meetings[_i].expect, "%s", meetings[_i].name);
}
END_TEST

START_TEST(nobody_is_known_of_a_new_pid)
{
    struct child_introduction who = introduction_of(10, 100);
    ck_assert_int_eq(child_relate(NULL, &who), CHILD_IS_NEW);
}
END_TEST

static struct child *add_silent(pid_t pid, uint64_t start_ns)
{
    struct child_introduction who = introduction_of(pid, start_ns);
    struct child *child = child_table_add_silent(&table, &who);
    ck_assert_ptr_nonnull(child);
    return child;
}

START_TEST(a_silent_child_lives_without_a_connection)
{
    const struct child *child = add_silent(10, 100);
    ck_assert_int_eq(child->state, CHILD_DETACHED);
    ck_assert_int_eq(child->verdict, VERDICT_LIVE);
    ck_assert(child->agent == CHILD_IS_SILENT);
    ck_assert_uint_eq(child->cpu.used_ns, CPU_TIME_UNKNOWN);
}
END_TEST

START_TEST(a_late_hello_of_the_same_program_corrects_the_judgement)
{
    struct child_introduction who = introduction_of(10, 200);
    const struct child *silent = add_silent(10, 100);
    ck_assert(child_is_same_as_silent(silent, &who));
    who.executable = "/usr/bin/true";
    who.executable_length = strlen(who.executable);
    ck_assert(child_is_same_as_silent(silent, &who));
    who.executable = "/usr/bin/other";
    who.executable_length = strlen(who.executable);
    ck_assert(!child_is_same_as_silent(silent, &who)); /* it called exec */
    who.start_ns = silent->start_ns;
    ck_assert(child_is_same_as_silent(silent, &who)); /* its name was told wrongly */
}
END_TEST

START_TEST(a_hello_that_is_read_after_the_end_belongs_to_who_began_before_it)
{
    struct child_introduction early = introduction_of(10, 140), late = introduction_of(10, 160);
    struct child *silent = add_silent(10, 130);
    child_end(&table, silent, VERDICT_EXITED, 0, 150);
    ck_assert(child_is_same_as_silent(silent, &early));
    ck_assert(!child_is_same_as_silent(silent, &late)); /* its pid is used again */
}
END_TEST

START_TEST(a_hello_that_is_read_late_is_of_the_image_before)
{
    struct child_introduction who = introduction_of(10, 90);
    struct child *silent = add_silent(10, 100);
    ck_assert_int_eq(child_relate(silent, &who), CHILD_CAME_BEFORE);
    ck_assert(!child_is_same_as_silent(silent, &who));
    child_end(&table, silent, VERDICT_EXITED, 0, 150);
    ck_assert_int_eq(child_relate(silent, &who), CHILD_CAME_BEFORE);

    const struct child *before = add_child(10, 90);
    add_child(10 + CHILD_TABLE_BUCKETS, 95);
    child_table_make_latest(&table, silent);
    ck_assert_ptr_eq(child_table_find_latest(&table, 10), silent);
    ck_assert_uint_eq(child_table_later_images(&table, before), 1);
    ck_assert_uint_eq(child_table_later_images(&table, silent), 0);
}
END_TEST

START_TEST(a_hello_that_is_read_after_the_end_is_of_who_was_known_by_that_alone)
{
    struct child_introduction who = introduction_of(10, 90);
    struct child *silent = add_silent(10, 150);
    silent->knowledge = CHILD_KNOWN_BY_END;
    child_end(&table, silent, VERDICT_EXITED, 0, 150);
    ck_assert(child_is_same_as_silent(silent, &who));
}
END_TEST

START_TEST(who_says_hello_again_with_an_arena_had_not_gone_on_before)
{
    struct child_introduction again = introduction_of(10, 100), later = introduction_of(10, 101);
    struct child *child = add_child(10, 100);
    child->obstacle = OBSTACLE_OTHER_USER;
    child_end(&table, child, VERDICT_EXECED, 0, 150);
    child_set_kept(&table, child, CHILD_KEPT_NAME);
    ck_assert(child_is_same_as_silent(child, &again));
    ck_assert(!child_is_same_as_silent(child, &later));
    give_arena(child);
    ck_assert(!child_is_same_as_silent(child, &again));
}
END_TEST

START_TEST(who_said_hello_is_never_mistaken_for_silent)
{
    struct child_introduction who = introduction_of(10, 200);
    ck_assert(!child_is_same_as_silent(add_child(10, 100), &who));
}
END_TEST

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
    tcase_add_loop_test(children, a_hello_meets_what_is_known_of_its_pid, 0,
                        (int)(sizeof(meetings) / sizeof(meetings[0])));
    tcase_add_test(children, nobody_is_known_of_a_new_pid);
    tcase_add_test(children, a_silent_child_lives_without_a_connection);
    tcase_add_test(children, a_late_hello_of_the_same_program_corrects_the_judgement);
    tcase_add_test(children, a_hello_that_is_read_after_the_end_belongs_to_who_began_before_it);
    tcase_add_test(children, a_hello_that_is_read_late_is_of_the_image_before);
    tcase_add_test(children, who_says_hello_again_with_an_arena_had_not_gone_on_before);
    tcase_add_test(children, a_hello_that_is_read_after_the_end_is_of_who_was_known_by_that_alone);
    tcase_add_test(children, who_said_hello_is_never_mistaken_for_silent);
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
    tcase_add_test(children, wait_statuses_are_verdicts);
    suite_add_tcase(suite, children);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
