/* daemon.census: what processes tell of themselves through the census. */

#include "daemon/census/census.h"
#include "ipc/messages.h"
#include "tests/unit/census_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(who_is_present_is_a_dormant_child)
{
    put_entry(CENSUS_PRESENT, START_NS + 1, 0);
    census_read(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert_int_eq(latest_child()->dormancy, CHILD_DORMANT);
    ck_assert_str_eq(latest_child()->executable, "/bin/sleep");
    ck_assert_uint_eq(latest_child()->arguments_bytes, 10);
    ck_assert_ptr_nonnull(latest_child()->watch);
    put_entry(CENSUS_WISH, START_NS + 2, 0);
    census_read(&census);
    ck_assert_uint_eq(wishes, 1);
    put_entry(CENSUS_ENDED, START_NS + 3, SIGKILL);
    census_read(&census);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    ck_assert_uint_eq(latest_child()->cpu.used_ns, 5);
    ck_assert_uint_eq(ends, 1);
}
END_TEST

START_TEST(what_was_told_before_the_session_or_without_one_is_nothing)
{
    put_entry(CENSUS_PRESENT, START_NS - 1, 0);
    census_read(&census);
    ck_assert_uint_eq(table.count, 0);
    session.state = SESSION_IDLE;
    put_entry(CENSUS_PRESENT, START_NS + 1, 0);
    census_read(&census);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(atomic_load(&ledger.ring->taken), 2);
}
END_TEST

static void put_present_shell(uint64_t time_ns)
{
    struct census_entry entry = { .kind = CENSUS_PRESENT,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = time_ns,
                                  .generation = session.generation };

    census_ring_set_path(&entry, "/bin/sh");
    census_ring_put(ledger.ring, &entry);
}

/* It took up the session between the two. */
START_TEST(who_told_before_the_session_what_it_becomes_is_found_as_that)
{
    session.state = SESSION_IDLE;
    put_entry(CENSUS_EXEC, START_NS - 1, 0);
    census_read(&census);
    session.state = SESSION_ACTIVE;
    put_present_shell(START_NS - 2);
    census_take(&census);
    ck_assert_uint_eq(table.count, 2);
    ck_assert_int_eq(table.first->verdict, VERDICT_EXECED);
    ck_assert_uint_eq(table.first->end_ns, START_NS - 1);
    ck_assert_uint_eq(table.first->cpu.at_exec_ns, 5);
    ck_assert(latest_child()->agent == CHILD_IS_SILENT);
    ck_assert_uint_eq(latest_child()->start_ns, START_NS - 1);
    ck_assert_ptr_nonnull(strstr(latest_child()->executable, "sleep"));
}
END_TEST

/* As a program that runs inside of valgrind. */
START_TEST(who_never_was_what_proc_shows_has_not_become_that)
{
    put_present_shell(START_NS - 2);
    census_take(&census);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_str_eq(latest_child()->executable, "/bin/sh");
}
END_TEST

START_TEST(who_began_just_before_its_session_is_in_it)
{
    struct census_entry entry = { .kind = CENSUS_PRESENT,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = START_NS - 1,
                                  .generation = session.generation };

    census_ring_set_path(&entry, "/bin/sleep");
    census_ring_put(ledger.ring, &entry);
    put_entry(CENSUS_ENDED, START_NS + 2, SIGKILL);
    census_read(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert(latest_child()->agent != CHILD_IS_SILENT);
    ck_assert_int_eq(latest_child()->verdict, VERDICT_KILLED);
    ck_assert_uint_eq(table.count, 1);
}
END_TEST

START_TEST(who_ended_unheard_is_a_name)
{
    put_entry(CENSUS_EXEC, START_NS + 1, 0); /* by whom profd will hear of, as it seems */
    put_entry(CENSUS_ENDED, START_NS + 2, 7 << 8);
    census_read(&census);
    ck_assert(child_is_only_name(latest_child()));
    ck_assert_str_eq(latest_child()->executable, "/bin/sleep");
    ck_assert_int_eq(latest_child()->verdict, VERDICT_EXITED);
    ck_assert_int_eq(latest_child()->code, 7);
    ck_assert_uint_eq(latest_child()->process_start_ns, START_NS + 1);
    ck_assert(latest_child()->lacks_start); /* of its agent */
}
END_TEST

START_TEST(an_end_that_was_forgotten_already_is_passed_on)
{
    recent_ends_put(&census.ends, process, START_NS + 1);
    put_entry(CENSUS_ENDED, START_NS + 2, SIGKILL);
    census_read(&census);
    ck_assert_uint_eq(told_ends, 1);
    ck_assert_uint_eq(table.count, 0);
}
END_TEST

START_TEST(losses_are_counted)
{
    for (unsigned i = 0; i < CENSUS_RING_ENTRIES + 3; i++)
        put_entry(CENSUS_WISH, START_NS + 1, 0);
    census_read(&census);
    ck_assert_uint_eq(census.lost, 3);
    census_begin_session(&census);
    ck_assert_uint_eq(census.lost, 0);
}
END_TEST

/* Once: on a slow machine UV_RUN_ONCE may come by a second time. */
static void read_all(void)
{
    while (atomic_load(&ledger.ring->taken) != atomic_load(&ledger.ring->put))
        uv_run(&loop, UV_RUN_NOWAIT);
}

START_TEST(the_reader_comes_back_soon_while_much_is_told)
{
    session.start_ns = uv_hrtime();
    census_begin_session(&census);
    for (unsigned i = 0; i <= CENSUS_MUCH_NEWS; i++)
        put_entry(CENSUS_WISH, session.start_ns + 1, 0);
    read_all();
    ck_assert_uint_le(uv_timer_get_due_in(&census.reader), CENSUS_NEXT_READ_MS);
    while (uv_timer_get_due_in(&census.reader) <= CENSUS_NEXT_READ_MS)
        uv_run(&loop, UV_RUN_ONCE);
    session.state = SESSION_IDLE;
    while (uv_is_active((uv_handle_t *)&census.reader))
        uv_run(&loop, UV_RUN_ONCE);
}
END_TEST

/* What a process in the pid namespace THERE, in which it is 7, tells of what it becomes. */
enum { THERE = 77, NUMBER_THERE = 7 };

static struct message_program program_there(uint64_t time_ns)
{
    static const char path[] = "/bin/still";
    return (struct message_program){ .pid = NUMBER_THERE,
                                     .pid_namespace = THERE,
                                     .time_ns = time_ns,
                                     .cpu_ns = 3,
                                     .obstacle = OBSTACLE_STATIC,
                                     .path = { path, sizeof(path) - 1 } };
}

static void put_end_there(uint64_t time_ns)
{
    struct census_entry end = {
        .kind = CENSUS_FOREIGN_ENDED, .time_ns = time_ns, .cpu_ns = 5, .wait_status = SIGKILL
    };
    census_ring_set_foreign(&end, NUMBER_THERE, THERE);
    census_ring_put(ledger.ring, &end);
    census_read(&census);
}

static void check_ended_there(void)
{
    ck_assert_ptr_nonnull(latest_child());
    ck_assert_int_eq(latest_child()->agent, CHILD_IS_SILENT);
    ck_assert_int_eq(latest_child()->obstacle, OBSTACLE_STATIC);
    ck_assert_str_eq(latest_child()->executable, "/bin/still");
    ck_assert_int_eq(latest_child()->parent_pid, getpid());
    ck_assert_int_eq(latest_child()->wait.status, SIGKILL);
    ck_assert_uint_eq(latest_child()->cpu.used_ns, 5);
    ck_assert_uint_eq(ends, 1);
}

START_TEST(a_program_in_another_pid_namespace_is_listed_with_its_end)
{
    const struct message_program message = program_there(START_NS + 1);
    census_note_program(&census, &message, process);
    ck_assert_int_eq(latest_child()->agent, CHILD_IS_SILENT);
    put_end_there(START_NS + 2);
    check_ended_there();
}
END_TEST

START_TEST(the_end_of_a_program_in_another_pid_namespace_may_be_read_first)
{
    const struct message_program message = program_there(START_NS + 1);
    put_end_there(START_NS + 2);
    ck_assert_ptr_null(latest_child());
    census_note_program(&census, &message, process);
    check_ended_there();
}
END_TEST

START_TEST(a_program_of_a_process_that_is_gone_is_counted)
{
    const struct message_program message = program_there(START_NS + 1);
    census_note_program(&census, &message, 0);
    ck_assert_uint_eq(census.lost, 1);
    ck_assert_uint_eq(table.count, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census");
    TCase *all = tcase_create("census");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, who_is_present_is_a_dormant_child);
    tcase_add_test(all, what_was_told_before_the_session_or_without_one_is_nothing);
    tcase_add_test(all, who_told_before_the_session_what_it_becomes_is_found_as_that);
    tcase_add_test(all, who_never_was_what_proc_shows_has_not_become_that);
    tcase_add_test(all, who_began_just_before_its_session_is_in_it);
    tcase_add_test(all, who_ended_unheard_is_a_name);
    tcase_add_test(all, an_end_that_was_forgotten_already_is_passed_on);
    tcase_add_test(all, losses_are_counted);
    tcase_add_test(all, the_reader_comes_back_soon_while_much_is_told);
    tcase_add_test(all, a_program_in_another_pid_namespace_is_listed_with_its_end);
    tcase_add_test(all, the_end_of_a_program_in_another_pid_namespace_may_be_read_first);
    tcase_add_test(all, a_program_of_a_process_that_is_gone_is_counted);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
