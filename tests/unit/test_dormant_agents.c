/* daemon.agents: processes that have an agent and do not record. */
#include "daemon/agents/agents.h"
#include "tests/unit/agents_scene.h"
#include "tests/unit/run_suite.h"

static void await_end_of_connection(int fd)
{
    struct pollfd polled = { fd, POLLIN, 0 };
    char room[256];

    while (poll(&polled, 1, -1) == 1 && read(fd, room, sizeof(room)) > 0)
        ;
}

/* Says hello once more by two connections when the first one has ended; ends with the second. */
static void live_restlessly(void)
{
    static struct fake_agent agent;
    uint64_t start_ns = fake_agent_now_ns();

    if (arena_create(ARENA_BYTES, &agent.arena) < 0)
        exit(FAKE_AGENT_FAILED);
    say_hello(&agent, start_ns, false, agent.arena.fd);
    await_end_of_connection(agent.profd);
    say_hello(&agent, start_ns, true, -1);
    int second = agent.profd;
    say_hello(&agent, start_ns, true, -1);
    await_end_of_connection(second);
    exit(0);
}

START_TEST(dormant_ones_are_looked_for_and_end)
{
    begin_agent(live_unheard);
    const struct child_introduction who = { .pid = process,
                                            .start_ns = uv_hrtime(),
                                            .executable = "/bin/sleepy",
                                            .executable_length = 11,
                                            .arguments = "sleepy\0-x",
                                            .arguments_bytes = 9 };

    agents_add_dormant(&agents, &who);
    ck_assert_uint_eq(table.sought, 1);
    agents_watch_dormant(&agents);
    ck_assert_uint_eq(table.sought, 0);
    const struct child *child = child_table_find_latest(&table, process);
    ck_assert_ptr_nonnull(child->watch);
    ck_assert_uint_eq(child->arguments_bytes, 9);
    kill(process, SIGKILL);
    run_until(&seen.ends, 1);
}
END_TEST

static void add_dormant(pid_t pid)
{
    const struct child_introduction who = {
        .pid = pid, .start_ns = uv_hrtime(), .executable = "/bin/brief", .executable_length = 10
    };

    agents_add_dormant(&agents, &who);
}

START_TEST(who_records_and_says_that_it_is_dormant_harms_nobody)
{
    begin_agent(_i == 0 ? live_as_agent : live_restlessly);
    run_until(&seen.hellos, 1);
    const struct child *child = table.first;
    const struct child_introduction who = { .pid = process,
                                            .start_ns = child->start_ns,
                                            .executable = "/bin/fake",
                                            .executable_length = 9 };

    agents_add_dormant(&agents, &who);
    agents_add_dormant(&agents, &who);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_uint_eq(seen.silences, 1);
    ck_assert_uint_eq(table.sought, 0); /* it is watched */
    run_until(&seen.kept, 1);           /* it ends with a connection */
    ck_assert_uint_eq(seen.hellos, _i == 0 ? 1 : 3);
    ck_assert_int_eq(child->kept, CHILD_KEPT_COPIED);
}
END_TEST

START_TEST(how_a_dormant_one_ended_may_be_told_after_the_first_look)
{
    begin_agent(live_silently);
    pid_t pid = process;
    add_dormant(pid);
    kill(pid, SIGKILL);
    const struct child_ending ending = reap_process();
    const struct child *child = child_table_find_latest(&table, pid);

    agents_watch_dormant(&agents);
    ck_assert_int_eq(child->search, CHILD_SEARCH_FAILED_ONCE);
    ck_assert_uint_eq(seen.ends, 0);
    if (_i == 0)
        ck_assert(agents_note_reaped(&agents, pid, &ending));
    agents_watch_dormant(&agents);
    ck_assert_int_eq(child->search, CHILD_SEARCH_NONE);
    ck_assert_uint_eq(seen.ends, 1);
    ck_assert_int_eq(child->verdict, _i == 0 ? VERDICT_KILLED : VERDICT_VANISHED);
    ck_assert_uint_eq(table.sought, 0);
}
END_TEST

START_TEST(a_dormant_one_wakes_once_though_it_may_tell_so_twice)
{
    add_dormant(getppid());
    const struct child *child = child_table_find_latest(&table, getppid());

    agents_note_woken(&agents, child->pid, child->start_ns + 1);
    ck_assert_int_eq(child->dormancy, CHILD_DORMANT); /* that was another image */
    agents_note_woken(&agents, child->pid, child->start_ns);
    agents_note_woken(&agents, child->pid, child->start_ns);
    ck_assert_int_eq(child->dormancy, CHILD_WOKEN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.dormant_agents");
    TCase *all = tcase_create("agents");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, dormant_ones_are_looked_for_and_end);
    tcase_add_loop_test(all, who_records_and_says_that_it_is_dormant_harms_nobody, 0, 2);
    tcase_add_loop_test(all, how_a_dormant_one_ended_may_be_told_after_the_first_look, 0, 2);
    tcase_add_test(all, a_dormant_one_wakes_once_though_it_may_tell_so_twice);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
