/* daemon.agents: hellos and ends of real processes, over a real socket and loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/process_clock.h"
#include "common/recording_obstacle.h"
#include "daemon/access.h"
#include "daemon/agents/agents.h"
#include "daemon/children/child_table.h"
#include "daemon/children/pidfd.h"
#include "daemon/keeping/keeper_link.h"
#include "daemon/limit/memory.h"
#include "daemon/memory/exit_store.h"
#include "daemon/session.h"
#include "ipc/connection.h"
#include "ipc/listener.h"
#include "tests/fake_agent.h"

enum { LIMIT_BYTES = 64 * LEASE_UNIT_BYTES, ARENA_BYTES = 4 * CHUNK_BYTES, LOOP_ENDS_MS = 20000 };

static char folder[64], path[96];
static uv_loop_t loop;
static uv_timer_t limit;
static struct listener *listener;
static struct session session;
static struct access access_rules;
static struct child_table table;
static struct exit_store exits;
static struct memory memory;
static struct keeper_link keeper;
static struct agents agents;
static pid_t process; /* that plays the agent */

static struct {
    unsigned hellos, ends, verdicts, kept, forgotten, silences, replaced, acknowledged, refused;
} seen;

/* --- What happens --- */

static void on_news_wanted(void *context)
{
    ck_assert_ptr_eq(context, &seen);
}

static void on_hello(lease_owner owner, void *context)
{
    (void)owner;
    ck_assert_ptr_eq(context, &seen);
    seen.hellos++;
}

static void on_replaced(void *context)
{
    (void)context;
    seen.replaced++;
}

static void on_loan_request(struct child *child, void *context)
{
    (void)context;
    ck_assert_ptr_nonnull(child);
}

static void on_silence(struct child *child, void *context)
{
    (void)context;
    ck_assert_int_ne(child->state, CHILD_ENDED);
    seen.silences++;
}

/* As daemon/when.c has it. */
static void on_end(struct child *child, void *context)
{
    (void)context;
    seen.ends++;
    agents_detach_process(child);
    if (session_is_on(&session))
        agents_store(&agents, child);
    else
        agents_forget(&agents, child);
}

static void on_verdict(struct child *child, void *context)
{
    (void)context;
    ck_assert_int_ne(child->verdict, VERDICT_VANISHED);
    seen.verdicts++;
}

static void on_kept(struct child *child, void *context)
{
    (void)context;
    ck_assert_int_eq(child->state, CHILD_ENDED);
    seen.kept++;
}

static void on_forgotten(struct child *child, void *context)
{
    (void)context;
    memory_forget_child(&memory, child);
    seen.forgotten++;
}

static void on_ended_count(void *context)
{
    (void)context;
}

static void on_acknowledged(struct child *child, unsigned kind, uint64_t generation, void *context)
{
    (void)child, (void)context;
    ck_assert_uint_eq(kind, MESSAGE_STARTED);
    ck_assert_uint_eq(generation, session.generation);
    seen.acknowledged++;
}

static const struct agents_events events = {
    .on_news_wanted = on_news_wanted,
    .on_hello = on_hello,
    .on_replaced = on_replaced,
    .on_loan_request = on_loan_request,
    .on_silence = on_silence,
    .on_end = on_end,
    .on_verdict = on_verdict,
    .on_kept = on_kept,
    .on_forgotten = on_forgotten,
    .on_ended_count = on_ended_count,
    .on_acknowledged = on_acknowledged,
};

static bool is_awaited(lease_owner owner, void *context)
{
    (void)owner, (void)context;
    return true;
}

static const struct memory_events memory_events = { is_awaited };

/* --- Connections --- */

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    int pidfd = pidfd_of_process(connection_peer(connection)->pid);

    (void)owner;
    ck_assert_uint_eq(kind, MESSAGE_HELLO);
    if (agents_hello(&agents, connection, pidfd, payload, bytes, fds, fd_count) < 0)
        seen.refused++;
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

static const struct connection_events visitor_events = { on_message, on_closed };

static void on_accept(struct listener *from, int fd, const struct peer_credentials *peer,
                      void *owner)
{
    struct connection *connection;

    (void)from, (void)peer, (void)owner;
    ck_assert_int_eq(connection_accept(&loop, fd, &visitor_events, NULL, &connection), 0);
}

/* --- The loop --- */

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void run_until(const unsigned *count, unsigned at_least)
{
    while (*count < at_least)
        uv_run(&loop, UV_RUN_ONCE);
}

static void begin_parts(void)
{
    const struct memory_views memory_views = { &session, &table, &exits };
    const struct agents_views views = { &loop,  &session, &access_rules, &table,
                                        &exits, &memory,  &keeper };
    enum ledger_past past;

    ck_assert_int_eq(access_init(&access_rules, NULL, false), 0);
    ck_assert_int_eq(memory_init(&memory, &loop, &memory_views, &memory_events, NULL), 0);
    exit_store_init(&exits, &loop, &memory.ledger, &memory.controller, agents_note_expired);
    ck_assert_int_eq(memory_open(&memory, path, LIMIT_BYTES, &past), 0);
    agents_init(&agents, &views, &events, &seen);
}

static void set_up(void)
{
    char text[LISTENER_ERROR_TEXT];

    memset(&seen, 0, sizeof(seen));
    memset(&table, 0, sizeof(table));
    memset(&memory, 0, sizeof(memory));
    memset(&keeper, 0, sizeof(keeper));
    keeper.fd = -1;
    process = -1;
    session = (struct session){ .state = SESSION_ACTIVE, .generation = 7 };
    session.settings = (struct session_settings){ .interval_ns = 1000 * 1000,
                                                  .memory_limit_bytes = LIMIT_BYTES,
                                                  .features = FEATURES_DEFAULT };
    strcpy(folder, "/tmp/profd-agents.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/socket", folder);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    ck_assert_int_eq(listener_create(&loop, path, on_accept, NULL, &listener, text), 0);
    begin_parts();
}

static void end_process(void)
{
    if (process > 0)
        kill(process, SIGKILL);
    if (process > 0)
        waitpid(process, NULL, 0);
}

static void tear_down(void)
{
    char command[128];

    end_process();
    agents_close(&agents);
    memory_close(&memory);
    listener_close(listener, NULL);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(table.count, 0);
    exit_store_destroy(&exits);
    memory_controller_fini(&memory.controller);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* --- Agents --- */

static void ignore_message(struct fake_agent *agent, const uint8_t *payload, size_t bytes)
{
    (void)agent, (void)payload, (void)bytes;
}

/* Begins the session that the welcome tells of, if it does, and says so. */
static void obey_welcome(struct fake_agent *agent, const uint8_t *payload, size_t bytes)
{
    struct message_welcome welcome;

    if (message_peek_kind(payload, bytes) != MESSAGE_WELCOME)
        return;
    if (message_get_welcome(payload, bytes, &welcome) < 0)
        exit(FAKE_AGENT_FAILED);
    fake_agent_started(agent, welcome.session.generation);
}

/* Says hello, does what it is told, and waits for its end. */
static void live_as_agent(void)
{
    static struct fake_agent agent;

    fake_agent_begin(&agent, path, ARENA_BYTES);
    for (;;)
        fake_agent_serve(&agent, -1, obey_welcome);
}

/* Says hello, hangs up, and stays. */
static void live_silently(void)
{
    static struct fake_agent agent;

    fake_agent_begin(&agent, path, ARENA_BYTES);
    close(agent.profd);
    for (;;)
        pause();
}

static void live_unheard(void)
{
    for (;;)
        pause();
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

static void say_hello(struct fake_agent *agent, uint64_t start_ns, bool gave_arena, int arena_fd)
{
    const struct message_hello hello = { .protocol_version = PROTOCOL_VERSION,
                                         .pid = getpid(),
                                         .start_ns = start_ns,
                                         .gave_arena = gave_arena,
                                         .executable = { "/bin/twice", 10 },
                                         .command_line = { "twice", 5 } };

    agent->profd = socket_connect(path, 0);
    fake_agent_send(
        agent, message_put_hello(agent->frame, MESSAGE_MAX_BYTES, MESSAGE_HELLO, &hello), arena_fd);
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

static void begin_agent(void (*agent)(void))
{
    process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0)
        agent();
}

/* What it was waited for with; it is gone then. */
static struct child_ending reap_process(void)
{
    struct child_ending ending = { .cpu_ns = CPU_TIME_UNKNOWN, .end_ns = uv_hrtime() };

    ck_assert_int_eq(waitpid(process, &ending.wait_status, 0), process);
    process = -1;
    return ending;
}

/* --- Tests --- */

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
    const struct child_ending ending = reap_process();
    ck_assert(agents_note_reaped(&agents, pid, &ending));
    run_until(&seen.kept, 1);
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
    tcase_add_test(all, a_silent_one_is_a_name);
    tcase_add_test(all, a_mistake_about_the_next_of_its_pid_leaves_an_end_as_it_was);
    tcase_add_test(all, a_mistake_about_the_next_program_gives_its_end_back);
    tcase_add_loop_test(all, a_process_begins_when_its_program_is_called, 0, 2);
    tcase_add_test(all, a_program_ends_where_the_next_is_called);
    tcase_add_test(all, a_call_that_failed_begins_nothing);
    tcase_add_test(all, dormant_ones_are_looked_for_and_end);
    tcase_add_loop_test(all, who_records_and_says_that_it_is_dormant_harms_nobody, 0, 2);
    tcase_add_loop_test(all, how_a_dormant_one_ended_may_be_told_after_the_first_look, 0, 2);
    tcase_add_test(all, a_dormant_one_wakes_once_though_it_may_tell_so_twice);
    suite_add_tcase(suite, all);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
