/* daemon.census: programs without an agent that a process becomes, whoever tells of their end, and
 * when. */

#include "daemon/census/census.h"
#include "tests/unit/census_scene.h"
#include "tests/unit/run_suite.h"

static void put_path(enum census_kind kind, uint64_t time_ns, const char *path,
                     enum recording_obstacle obstacle)
{
    struct census_entry entry = { .kind = kind,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = time_ns,
                                  .cpu_ns = 5,
                                  .obstacle = obstacle };

    census_ring_set_path(&entry, path);
    census_ring_put(ledger.ring, &entry);
}

static void put_shell(uint64_t time_ns)
{
    put_path(CENSUS_PRESENT, time_ns, "/bin/sh", OBSTACLE_NONE);
}

static void put_fork(uint64_t time_ns)
{
    struct census_entry entry = { .kind = CENSUS_PRESENT,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = time_ns,
                                  .is_fork = 1 };

    census_ring_set_path(&entry, "/bin/fork");
    census_ring_put(ledger.ring, &entry);
}

static void put_static(uint64_t time_ns)
{
    put_path(CENSUS_EXEC, time_ns, "/bin/static", OBSTACLE_STATIC);
}

static void end_process(void)
{
    siginfo_t info;

    ck_assert_int_eq(kill(process, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT), 0);
}

static void see_end(void)
{
    while (ends == 0)
        uv_run(&loop, UV_RUN_ONCE);
}

static void check_program(const struct child *child, const char *executable, int code)
{
    ck_assert_ptr_nonnull(child);
    ck_assert_str_eq(child->executable, executable);
    ck_assert_int_eq(child->verdict, VERDICT_EXITED);
    ck_assert_int_eq(child->code, code);
    ck_assert(child->agent == CHILD_IS_SILENT);
    ck_assert_int_eq(child->obstacle, OBSTACLE_STATIC);
}

START_TEST(an_end_that_was_seen_before_it_was_told_is_of_the_last_program)
{
    put_shell(START_NS + 1);
    census_read(&census);
    table.first->cpu.before_ns = 3;
    end_process();
    put_static(START_NS + 2);
    census_read(&census);
    see_end();
    census_take(&census);
    put_entry(CENSUS_ENDED, uv_hrtime(), 7 << 8);
    census_read(&census);
    ck_assert_uint_eq(table.count, 2);
    ck_assert_int_eq(table.first->verdict, VERDICT_EXECED);
    ck_assert_uint_eq(table.first->end_ns, START_NS + 2);
    check_program(latest_child(), "/bin/static", 7);
    ck_assert_uint_eq(latest_child()->process_start_ns, START_NS + 1);
    ck_assert_uint_eq(latest_child()->cpu.before_ns, 3);
    ck_assert_uint_eq(table.first->cpu.at_exec_ns, 5);
}
END_TEST

START_TEST(a_program_of_whose_end_nobody_tells_is_listed)
{
    put_shell(START_NS + 1);
    census_read(&census);
    end_process();
    put_static(START_NS + 2);
    census_read(&census);
    see_end();
    census_take(&census);
    ck_assert_uint_eq(table.count, 2);
    ck_assert_str_eq(latest_child()->executable, "/bin/static");
    ck_assert_int_eq(latest_child()->verdict, VERDICT_VANISHED);
}
END_TEST

START_TEST(processes_that_have_a_pid_one_after_the_other_keep_their_programs)
{
    end_process();
    put_shell(START_NS + 1);
    put_static(START_NS + 2);
    put_entry(CENSUS_ENDED, START_NS + 3, 7 << 8);
    put_shell(START_NS + 4);
    put_static(START_NS + 5);
    put_entry(CENSUS_ENDED, START_NS + 6, 8 << 8);
    census_read(&census);
    ck_assert_uint_eq(table.count, 4);
    check_program(table.first->next, "/bin/static", 7);
    ck_assert_uint_eq(table.first->next->process_start_ns, START_NS + 1);
    check_program(latest_child(), "/bin/static", 8);
    ck_assert_uint_eq(latest_child()->process_start_ns, START_NS + 4);
}
END_TEST

/* The descriptor of the first one tells of the end when another has the pid, and has told so. */
START_TEST(an_end_is_not_that_of_the_next_process_with_the_pid)
{
    put_shell(START_NS + 1);
    census_read(&census);
    end_process();
    put_fork(START_NS + 2);
    see_end();
    ck_assert_uint_eq(table.count, 2);
    ck_assert_int_eq(table.first->state, CHILD_ENDED);
    ck_assert_int_ne(latest_child()->state, CHILD_ENDED);
}
END_TEST

START_TEST(an_end_is_that_of_the_last_program_of_the_process)
{
    put_shell(START_NS + 1);
    census_read(&census);
    end_process();
    put_static(START_NS + 2);
    census_read(&census);
    put_path(CENSUS_PRESENT, START_NS + 3, "/bin/next", OBSTACLE_NONE);
    see_end();
    ck_assert_str_eq(latest_child()->executable, "/bin/next");
    ck_assert_int_eq(latest_child()->state, CHILD_ENDED);
}
END_TEST

/* PROCESS ends as a child of this one, which is known as AGENT. */
static const struct child *end_unknown(enum child_agent agent, uint64_t cpu_ns)
{
    const struct child_introduction who = { .pid = getpid(),
                                            .start_ns = START_NS,
                                            .executable = "/bin/original",
                                            .executable_length = 13 };
    struct child *parent = child_table_add_silent(&table, &who);
    struct census_entry entry = { .kind = CENSUS_ENDED,
                                  .pid = process,
                                  .parent_pid = getpid(),
                                  .time_ns = START_NS + 1,
                                  .cpu_ns = cpu_ns };

    parent->agents = &agents;
    parent->agent = agent;
    census_ring_put(ledger.ring, &entry);
    census_read(&census);
    ck_assert_str_eq(latest_child()->executable, "/bin/original");
    return latest_child();
}

START_TEST(a_copy_that_ended_at_once_had_nothing_to_record)
{
    ck_assert(child_had_nothing_to_record(end_unknown(CHILD_IS_ALONE, 1000)));
}
END_TEST

START_TEST(who_has_worked_and_never_said_hello_was_no_copy)
{
    const struct child *child = end_unknown(CHILD_IS_ALONE, UINT64_C(4000000));

    ck_assert_int_eq(child->obstacle, OBSTACLE_SILENT);
    ck_assert(!child_had_nothing_to_record(child));
}
END_TEST

START_TEST(with_a_finer_clock_a_copy_records_earlier)
{
    session.settings.clock = SAMPLING_CLOCK_PERF;
    session.settings.interval_ns = 1000 * 1000;
    ck_assert(!child_had_nothing_to_record(end_unknown(CHILD_IS_ALONE, UINT64_C(1000000))));
}
END_TEST

START_TEST(what_a_program_without_an_agent_forks_was_not_profiled)
{
    ck_assert(!child_had_nothing_to_record(end_unknown(CHILD_IS_SILENT, 1000)));
}
END_TEST

START_TEST(a_copy_that_was_called_otherwise_after_its_end_was_another_program)
{
    (void)end_unknown(CHILD_IS_ALONE, 1000);
    put_path(CENSUS_EXEC, START_NS + 1, "/bin/brief", OBSTACLE_NONE);
    census_read(&census);
    ck_assert_str_eq(latest_child()->executable, "/bin/brief");
    ck_assert_int_eq(latest_child()->obstacle, OBSTACLE_SILENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census_settled");
    TCase *all = tcase_create("settled");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, an_end_that_was_seen_before_it_was_told_is_of_the_last_program);
    tcase_add_test(all, a_program_of_whose_end_nobody_tells_is_listed);
    tcase_add_test(all, processes_that_have_a_pid_one_after_the_other_keep_their_programs);
    tcase_add_test(all, an_end_is_not_that_of_the_next_process_with_the_pid);
    tcase_add_test(all, an_end_is_that_of_the_last_program_of_the_process);
    tcase_add_test(all, a_copy_that_ended_at_once_had_nothing_to_record);
    tcase_add_test(all, who_has_worked_and_never_said_hello_was_no_copy);
    tcase_add_test(all, with_a_finer_clock_a_copy_records_earlier);
    tcase_add_test(all, what_a_program_without_an_agent_forks_was_not_profiled);
    tcase_add_test(all, a_copy_that_was_called_otherwise_after_its_end_was_another_program);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
