/* Agents over a real socket and loop, without a daemon, and a process that plays one of them. */
#ifndef TESTS_UNIT_AGENTS_SCENE_H
#define TESTS_UNIT_AGENTS_SCENE_H

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    ck_assert_int_eq(memory_open(&memory, path, LIMIT_BYTES, LEDGER_IN_FILE, &past), 0);
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

/* Begins the session that the welcome tells of, if it does, and says so. */
static inline void obey_welcome(struct fake_agent *agent, const uint8_t *payload, size_t bytes)
{
    struct message_welcome welcome;

    if (message_peek_kind(payload, bytes) != MESSAGE_WELCOME)
        return;
    if (message_get_welcome(payload, bytes, &welcome) < 0)
        exit(FAKE_AGENT_FAILED);
    fake_agent_started(agent, welcome.session.generation);
}

/* Says hello, does what it is told, and waits for its end. */
static inline void live_as_agent(void)
{
    static struct fake_agent agent;

    fake_agent_begin(&agent, path, ARENA_BYTES);
    for (;;)
        fake_agent_serve(&agent, -1, obey_welcome);
}

/* Says hello, hangs up, and stays. */
static inline void live_silently(void)
{
    static struct fake_agent agent;

    fake_agent_begin(&agent, path, ARENA_BYTES);
    close(agent.profd);
    for (;;)
        pause();
}

static inline void live_unheard(void)
{
    for (;;)
        pause();
}

static inline void say_hello(struct fake_agent *agent, uint64_t start_ns, bool gave_arena,
                             int arena_fd)
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

static void begin_agent(void (*agent)(void))
{
    process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0)
        agent();
}

/* What it was waited for with; it is gone then. */
static inline struct child_ending reap_process(void)
{
    struct child_ending ending = { .cpu_ns = CPU_TIME_UNKNOWN, .end_ns = uv_hrtime() };

    ck_assert_int_eq(waitpid(process, &ending.wait_status, 0), process);
    process = -1;
    return ending;
}

#endif
