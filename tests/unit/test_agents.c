/* daemon.agents: hellos and ends of real processes. */
#include <sys/mman.h>

#include "common/recording_obstacle.h"
#include "daemon/agents/agents.h"
#include "tests/unit/agents_scene.h"
#include "tests/unit/run_suite.h"

static void ignore_message(struct fake_agent *agent, const uint8_t *payload, size_t bytes)
{
    (void)agent, (void)payload, (void)bytes;
}

/* Says hello as nobody should: of another protocol, or without an arena. */
static void live_wrongly(uint64_t version)
{
    static struct fake_agent agent;
    const struct message_hello hello = { .protocol_version = version,
                                         .pid = getpid(),
                                         .executable = { "x", 1 },
                                         .command_line = { "x", 1 } };

    agent.profd = socket_connect(path, 0);
    frame_reader_init(&agent.reader);
    fake_agent_send(&agent,
                    message_put_hello(agent.frame, MESSAGE_MAX_BYTES, MESSAGE_HELLO, &hello), -1);
    for (;;)
        fake_agent_serve(&agent, -1, ignore_message);
}

static void live_without_arena(void)
{
    live_wrongly(PROTOCOL_VERSION);
}

static void live_with_other_protocol(void)
{
    live_wrongly(PROTOCOL_VERSION + 1);
}

/* Says hello with an arena, and when it is welcome once more, as who has given it or with it again;
 * ends. */
static void live_twice(bool gives_again)
{
    static struct fake_agent agent;
    uint64_t start_ns = fake_agent_now_ns();
    struct pollfd welcome = { .events = POLLIN };

    frame_reader_init(&agent.reader);
    if (arena_create(ARENA_BYTES, &agent.arena) < 0)
        exit(FAKE_AGENT_FAILED);
    say_hello(&agent, start_ns, false, agent.arena.fd);
    welcome.fd = agent.profd;
    if (poll(&welcome, 1, -1) != 1)
        exit(FAKE_AGENT_FAILED);
    say_hello(&agent, start_ns, !gives_again, gives_again ? agent.arena.fd : -1);
    exit(0);
}

static void live_twice_giving_once(void)
{
    live_twice(false);
}

static void live_twice_giving_twice(void)
{
    live_twice(true);
}

/* Says hello twice without an arena, because of OBSTACLE, or as who has given it away. */
static void live_without_arena_yet(enum recording_obstacle obstacle)
{
    static struct fake_agent agent;
    const struct message_hello hello = { .protocol_version = PROTOCOL_VERSION,
                                         .pid = getpid(),
                                         .start_ns = fake_agent_now_ns(),
                                         .obstacle = obstacle,
                                         .gave_arena = obstacle == OBSTACLE_NONE,
                                         .executable = { "/bin/yet", 8 },
                                         .command_line = { "yet", 3 } };

    for (int i = 0; i < 2; i++) {
        agent.profd = socket_connect(path, 0);
        fake_agent_send(
            &agent, message_put_hello(agent.frame, MESSAGE_MAX_BYTES, MESSAGE_HELLO, &hello), -1);
    }
    for (;;)
        pause();
}

static void live_without_what_it_gave(void)
{
    live_without_arena_yet(OBSTACLE_NONE);
}

static void live_as_other_user(void)
{
    live_without_arena_yet(OBSTACLE_OTHER_USER);
}

static void live_without_memory(void)
{
    live_without_arena_yet(OBSTACLE_NO_MEMORY);
}

START_TEST(a_hello_makes_a_child)
{
    begin_agent(live_as_agent);
    run_until(&seen.acknowledged, 1);
    const struct child *child = table.first;
    ck_assert_uint_eq(table.count, 1);
    ck_assert_int_eq(child->pid, process);
    ck_assert_int_eq(child->state, CHILD_CONNECTED);
    ck_assert_int_eq(child->kept, CHILD_KEPT_ARENA);
    ck_assert_str_eq(child->executable, "/bin/fake");
    ck_assert_uint_eq(seen.hellos, 1);
}
END_TEST

START_TEST(what_the_dead_recorded_is_kept_with_their_verdict)
{
    begin_agent(live_as_agent);
    run_until(&seen.acknowledged, 1);
    pid_t pid = process;
    kill(pid, SIGKILL);
    run_until(&seen.ends, 1);
    struct child_ending ending = reap_process();
    ending.end_ns = table.first->end_ns - 1; /* we were late */
    ck_assert(agents_note_reaped(&agents, pid, &ending));
    run_until(&seen.kept, 1);
    ck_assert_uint_eq(table.first->end_ns, ending.end_ns);
    ck_assert_int_eq(table.first->verdict, VERDICT_KILLED);
    ck_assert_int_eq(table.first->code, SIGKILL);
    ck_assert_int_eq(table.first->kept, CHILD_KEPT_COPIED);
    ck_assert_uint_eq(seen.verdicts, 1);
    ck_assert(!agents_note_reaped(&agents, pid, &ending)); /* told once */

    agents_forget_ended(&agents);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(seen.forgotten, 1);
}
END_TEST

/* Its last hello may be read when its end is known. */
START_TEST(who_has_ended_is_kept_whatever_it_said_last)
{
    begin_agent(_i == 0 ? live_twice_giving_once : live_twice_giving_twice);
    run_until(&seen.hellos, 1);
    pid_t pid = process;
    const struct child_ending ending = reap_process();
    ck_assert(agents_note_reaped(&agents, pid, &ending));
    run_until(&seen.hellos, 2);
    run_until(&seen.kept, 1);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_int_eq(table.first->kept, CHILD_KEPT_COPIED);
    ck_assert_int_eq(table.first->verdict, VERDICT_EXITED);
}
END_TEST

START_TEST(without_a_session_nothing_is_kept)
{
    session.state = SESSION_IDLE;
    begin_agent(live_as_agent);
    run_until(&seen.hellos, 1);
    kill(process, SIGKILL);
    run_until(&seen.ends, 1);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(seen.forgotten, 1);
    ck_assert_uint_eq(seen.kept, 0);
}
END_TEST

START_TEST(a_connection_may_end_before_its_process)
{
    begin_agent(live_silently);
    run_until(&seen.silences, 1);
    ck_assert_int_eq(table.first->state, CHILD_DETACHED);
    ck_assert_uint_eq(seen.ends, 0);
    kill(process, SIGKILL);
    run_until(&seen.ends, 1);
    run_until(&seen.kept, 1);
}
END_TEST

START_TEST(a_hello_that_cannot_be_used_makes_no_child)
{
    begin_agent(_i == 0 ? live_without_arena : live_with_other_protocol);
    run_until(&seen.refused, 1);
    ck_assert_uint_eq(table.count, 0);
    ck_assert_uint_eq(seen.hellos, 0);
    ck_assert(WIFEXITED(reap_process().wait_status)); /* its connection was closed */
}
END_TEST

static unsigned count_in(const char *text, const char *what)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static const struct {
    void (*agent)(void);
    enum recording_obstacle obstacle;
    unsigned warnings;
} without_arena[] = {
    { live_without_what_it_gave, OBSTACLE_LOST, 1 },
    { live_as_other_user, OBSTACLE_OTHER_USER, 0 },
    { live_without_memory, OBSTACLE_NO_MEMORY, 2 },
};

/* Not of what the answer to its hello mends: the ledger comes with that, and an arena that is lost
 * is brought by the next hello. */
START_TEST(a_process_that_cannot_record_is_warned_of)
{
    static char text[4096];
    int log = memfd_create("log", MFD_CLOEXEC);

    ck_assert_int_eq(dup2(log, STDERR_FILENO), STDERR_FILENO);
    begin_agent(without_arena[_i].agent);
    run_until(&seen.hellos, 2);
    ck_assert_int_ge(pread(log, text, sizeof(text) - 1, 0), 0);
    close(log);
    ck_assert_uint_eq(count_in(text, "cannot record"), without_arena[_i].warnings);
    ck_assert_int_eq(table.first->obstacle, without_arena[_i].obstacle);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.agents");
    TCase *all = tcase_create("agents");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_hello_makes_a_child);
    tcase_add_test(all, what_the_dead_recorded_is_kept_with_their_verdict);
    tcase_add_loop_test(all, who_has_ended_is_kept_whatever_it_said_last, 0, 2);
    tcase_add_test(all, without_a_session_nothing_is_kept);
    tcase_add_test(all, a_connection_may_end_before_its_process);
    tcase_add_loop_test(all, a_hello_that_cannot_be_used_makes_no_child, 0, 2);
    tcase_add_loop_test(all, a_process_that_cannot_record_is_warned_of, 0,
                        (int)(sizeof(without_arena) / sizeof(without_arena[0])));
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
