/* daemon.agents: the programs that a process runs one after the other, and those that do not
 * record. */
#include "common/recording_obstacle.h"
#include "daemon/agents/agents.h"
#include "tests/unit/agents_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(a_silent_one_is_a_name)
{
    const struct child_introduction who = {
        .pid = getppid(), .start_ns = 5, .executable = "/bin/other", .executable_length = 10
    };
    struct child *child = agents_add_silent(&agents, &who, OBSTACLE_SILENT, -1);
    const struct child_ending ending = { .wait_status = 3 << 8,
                                         .cpu_ns = 42,
                                         .end_ns = uv_hrtime() };

    ck_assert_ptr_nonnull(child);
    ck_assert(child->agent == CHILD_IS_SILENT);
    agents_end_silent(child, &ending);
    ck_assert_int_eq(child->verdict, VERDICT_EXITED);
    ck_assert_int_eq(child->code, 3);
    ck_assert_uint_eq(child->cpu.used_ns, 42);
    ck_assert(child_is_only_name(child));
    ck_assert_uint_eq(seen.kept, 0);
}
END_TEST

/* A process of the pid of one that has ended was taken for a program that it could not run. */
START_TEST(a_mistake_about_the_next_of_its_pid_leaves_an_end_as_it_was)
{
    struct child_introduction who = {
        .pid = getppid(), .start_ns = 5, .executable = "/bin/other", .executable_length = 10
    };
    const struct child_ending first = { 3 << 8, 42, 100 }, next = { 4 << 8, 77, 300 };
    struct child *child = agents_add_silent(&agents, &who, OBSTACLE_SILENT, -1);

    agents_end_silent(child, &first);
    who.start_ns = 200;
    struct child *mistake = agents_add_silent(&agents, &who, OBSTACLE_SILENT, -1);
    agents_end_silent(mistake, &next);
    agents_forget_silent(mistake);
    ck_assert_ptr_eq(child_table_find_latest(&table, who.pid), child);
    ck_assert_int_eq(child->verdict, VERDICT_EXITED);
    ck_assert_int_eq(child->code, 3);
    ck_assert_uint_eq(child->end_ns, 100);
    ck_assert_uint_eq(child->cpu.used_ns, 42);
}
END_TEST

/* It was this process that was taken for it, which went on. */
START_TEST(a_mistake_about_the_next_program_gives_its_end_back)
{
    struct child_introduction who = {
        .pid = getppid(), .start_ns = 5, .executable = "/bin/other", .executable_length = 10
    };
    const struct child_ending ending = { 4 << 8, 77, 300 };
    const struct child *child = agents_add_silent(&agents, &who, OBSTACLE_SILENT, -1);

    who.start_ns = 200;
    struct child *mistake = agents_add_silent(&agents, &who, OBSTACLE_SILENT, -1);
    ck_assert_int_eq(child->verdict, VERDICT_EXECED);
    agents_end_silent(mistake, &ending);
    agents_forget_silent(mistake);
    ck_assert_int_eq(child->verdict, VERDICT_EXITED);
    ck_assert_int_eq(child->code, 4);
    ck_assert_uint_eq(child->end_ns, 300);
    ck_assert_uint_eq(child->cpu.used_ns, 77);
}
END_TEST

/* The process that plays the agent says that it is dormant, as an image that began at START_NS. */
static const struct child *meet_image(uint64_t start_ns, bool is_fork)
{
    const struct child_introduction who = { .pid = process,
                                            .start_ns = start_ns,
                                            .is_fork = is_fork,
                                            .executable = "/bin/image",
                                            .executable_length = 10 };

    agents_add_dormant(&agents, &who);
    agents_watch_dormant(&agents);
    return child_table_find_latest(&table, process);
}

static void note_call(uint64_t time_ns, uint64_t cpu_ns)
{
    const struct exec_call call = { process, time_ns, cpu_ns };
    agents_note_exec_call(&agents, &call);
}

/* In either order: a parent tells of a program that it started when that may be there already. */
START_TEST(a_process_begins_when_its_program_is_called)
{
    const uint64_t start_ns = uv_hrtime();

    begin_agent(live_unheard);
    if (_i == 0)
        note_call(start_ns - 500, CPU_TIME_UNKNOWN);
    const struct child *child = meet_image(start_ns, false);
    if (_i == 1)
        note_call(start_ns - 500, CPU_TIME_UNKNOWN);
    ck_assert_uint_eq(child->process_start_ns, start_ns - 500);
    ck_assert_uint_eq(child->start_ns, start_ns);
    kill(process, SIGKILL);
    run_until(&seen.ends, 1);
}
END_TEST

START_TEST(a_program_ends_where_the_next_is_called)
{
    const uint64_t start_ns = uv_hrtime();

    begin_agent(live_unheard);
    const struct child *fork = meet_image(start_ns, true);
    note_call(start_ns + 300, 77);
    const struct child *program = meet_image(start_ns + 900, false);
    ck_assert_ptr_ne(fork, program);
    ck_assert_int_eq(fork->verdict, VERDICT_EXECED);
    ck_assert_uint_eq(fork->end_ns, start_ns + 300);
    ck_assert_uint_eq(fork->cpu.at_exec_ns, 77);
    ck_assert_uint_eq(program->process_start_ns, start_ns);
    ck_assert_uint_eq(program->cpu.at_exec_ns, CPU_TIME_UNKNOWN);
    kill(process, SIGKILL);
    run_until(&seen.ends, 2);
}
END_TEST

START_TEST(a_call_that_failed_begins_nothing)
{
    const uint64_t start_ns = uv_hrtime();

    begin_agent(live_unheard);
    note_call(start_ns - 500, 77);
    agents_note_exec_failed(&agents, process);
    ck_assert_uint_eq(meet_image(start_ns, false)->process_start_ns, start_ns);
    kill(process, SIGKILL);
    run_until(&seen.ends, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.agent_images");
    TCase *all = tcase_create("agents");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_silent_one_is_a_name);
    tcase_add_test(all, a_mistake_about_the_next_of_its_pid_leaves_an_end_as_it_was);
    tcase_add_test(all, a_mistake_about_the_next_program_gives_its_end_back);
    tcase_add_loop_test(all, a_process_begins_when_its_program_is_called, 0, 2);
    tcase_add_test(all, a_program_ends_where_the_next_is_called);
    tcase_add_test(all, a_call_that_failed_begins_nothing);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
