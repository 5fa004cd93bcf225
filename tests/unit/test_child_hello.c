/* daemon.child_table: whose hello it is, of those that are known. */
#include "daemon/children/child_table.h"
#include "tests/unit/child_table_scene.h"
#include "tests/unit/run_suite.h"

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

/* Where the kernel's word is not known, as of processes that are gone by then. */
START_TEST(who_was_about_to_end_becomes_nothing_else)
{
    struct child *earlier = add_child(10, 100);
    struct child_introduction who = introduction_of(10, 200);

    earlier->identity = who.identity = 0;
    ck_assert_int_eq(child_relate(earlier, &who), CHILD_DID_EXEC);
    earlier->leaving_ns = 150;
    ck_assert_int_eq(child_relate(earlier, &who), CHILD_REUSES_PID);
    child_detach(earlier);
    child_end(&table, earlier, VERDICT_VANISHED, 0, 200);
    ck_assert_uint_eq(earlier->end_ns, 150);
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

int main(void)
{
    Suite *suite = suite_create("daemon.child_hello");
    TCase *children = tcase_create("children");
    tcase_add_checked_fixture(children, set_up, tear_down);
    tcase_add_loop_test(children, a_hello_meets_what_is_known_of_its_pid, 0,
                        (int)(sizeof(meetings) / sizeof(meetings[0])));
    tcase_add_test(children, who_was_about_to_end_becomes_nothing_else);
    tcase_add_test(children, nobody_is_known_of_a_new_pid);
    tcase_add_test(children, a_silent_child_lives_without_a_connection);
    tcase_add_test(children, a_late_hello_of_the_same_program_corrects_the_judgement);
    tcase_add_test(children, a_hello_that_is_read_after_the_end_belongs_to_who_began_before_it);
    tcase_add_test(children, a_hello_that_is_read_late_is_of_the_image_before);
    tcase_add_test(children, who_says_hello_again_with_an_arena_had_not_gone_on_before);
    tcase_add_test(children, a_hello_that_is_read_after_the_end_is_of_who_was_known_by_that_alone);
    tcase_add_test(children, who_said_hello_is_never_mistaken_for_silent);
    suite_add_tcase(suite, children);
    return run_suite(suite);
}
