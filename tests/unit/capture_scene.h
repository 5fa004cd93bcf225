/* What a capture is made of, without a daemon: a real loop, child table and exit store; an agent
 * that is the far end of a connection within this process; and profd-salvage, which is this program
 * once more: its main() begins with capture_scene_begin(). What is raised is written down. */
#ifndef TESTS_UNIT_CAPTURE_SCENE_H
#define TESTS_UNIT_CAPTURE_SCENE_H

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/chunk_manager.h"
#include "buffer/chunk_writer.h"
#include "daemon/capture/captures.h"
#include "daemon/capture/gathering_log.h"
#include "daemon/children/child_table.h"
#include "daemon/memory/exit_store.h"
#include "daemon/power/power.h"
#include "ipc/connection.h"
#include "ipc/protocol_version.h"

enum {
    FIRST_PID = 5000000, /* nobody has it: beyond the kernel's limit */
    LIMIT_UNITS = 64,
    ORDER_ID = 7,
    PROPORTION = PROGRESS_SCALE / 4,
    TEXT_BYTES = 512,
    TIMEOUT_S = 30,
};
static const char recorded[] = "what is in each arena";
static const char own_json[] = "{\"by\":\"agent\"}";
static const char worker_program[] = "/proc/self/exe";
static const char crasher[] = "crash"; /* a title that ends the worker */
static const struct session_owner user = { SESSION_OWNER_USER, 0 };
static const struct session_owner other = { SESSION_OWNER_PROGRAM, 42 };

/* An agent: the far end of a child's connection. */
struct agent {
    struct child *child;
    struct connection *near, *far;
    void (*on_asked)(struct agent *agent); /* for its profile */
    uint64_t gather_id;                    /* of the last question */
    unsigned asked, polled;
    bool is_stuck; /* asked how far it is, it is where it was */
};

static uv_loop_t loop;
static uv_signal_t ends;
static struct captures captures;
static struct session session;
static struct child_table table;
static struct exit_store exits;
static struct lease_ledger ledger;
static struct memory_controller controller;
static struct power power;
static uint64_t forgotten, lost_news;
static struct agent agent;
static int output;

/* What was raised. */
static struct {
    unsigned listings, logs, progresses, written, stops, finished;
    struct message_capture_progress progress;
    struct message_capture_done done;
    char missing[TEXT_BYTES], text[TEXT_BYTES];
    int error;
} raised;

/* --- profd-salvage, as whoever it is about would like it --- */

static inline int salvage_work(void)
{
    struct stat status;

    if (fstat(SALVAGE_JOBS_FD, &status) < 0)
        return 2;
    struct salvage_job *jobs =
        mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, SALVAGE_JOBS_FD, 0);
    if (jobs == MAP_FAILED)
        return 2;
    for (size_t i = 0; i < (size_t)status.st_size / sizeof(*jobs); i++) {
        if (strcmp(jobs[i].title, crasher) == 0)
            return 1;
        dprintf(SALVAGE_OUTPUT_FD, "%s{\"by\":\"worker\",\"verdict\":%u,\"reason\":\"%s\"}",
                i > 0 ? "," : "", jobs[i].verdict, jobs[i].reason);
        jobs[i].output_end = (uint64_t)lseek(SALVAGE_OUTPUT_FD, 0, SEEK_CUR);
        jobs[i].mark = SALVAGE_WRITTEN;
    }
    return 0;
}

static inline void on_process_ended(uv_signal_t *handle, int number)
{
    int status;
    pid_t pid;
    (void)handle, (void)number;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        ck_assert(captures_note_reaped(&captures, pid, status));
}

/* --- Events --- */

static inline void on_listing(void *context)
{
    ck_assert_ptr_eq(context, &raised);
    raised.listings++;
}

static inline void on_log(struct gathering_log *log, void *context)
{
    ck_assert_ptr_eq(context, &raised);
    gathering_log_event(log, NULL, "noted by the test", NULL);
    raised.logs++;
}

static inline void on_progress(const struct message_capture_progress *message, void *context)
{
    ck_assert_ptr_eq(context, &raised);
    raised.progress = *message;
    raised.progresses++;
}

static inline void on_written(const struct message_capture_done *message, void *context)
{
    ck_assert_ptr_eq(context, &raised);
    ck_assert_uint_eq(raised.finished, 0);
    raised.done = *message;
    snprintf(raised.missing, sizeof(raised.missing), "%.*s", (int)message->missing.length,
             message->missing.bytes);
    raised.written++;
}

static inline void on_stop(const struct session_owner *owner, void *context)
{
    ck_assert_ptr_eq(context, &raised);
    ck_assert(session_owner_is(owner, &user));
    ck_assert_uint_eq(raised.written, 1);
    ck_assert_uint_eq(raised.finished, 0);
    raised.stops++;
}

static inline void on_finished(int error, const char *text, void *context)
{
    ck_assert_ptr_eq(context, &raised);
    ck_assert_ptr_null(captures.current);
    ck_assert_int_ne(session.state, SESSION_GATHERING);
    raised.error = error;
    snprintf(raised.text, sizeof(raised.text), "%s", text);
    raised.finished++;
}

static const struct captures_events events = { on_listing, on_log,  on_progress,
                                               on_written, on_stop, on_finished };

/* --- Children --- */

static inline struct child *add_child(const char *name)
{
    const struct child_introduction who = { .pid = FIRST_PID + (pid_t)table.count,
                                            .start_ns = session.start_ns,
                                            .executable = name,
                                            .executable_length = strlen(name) };
    struct child *child = child_table_add(&table, &who);

    ck_assert_ptr_nonnull(child);
    child->protocol_minor = PROTOCOL_MINOR;
    return child;
}

/* A descriptor of an arena with a marker in it, whose memory OWNER has leased. */
static inline int make_arena(lease_owner owner)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    uint8_t entry[3 + sizeof(recorded)] = { ENTRY_TEXT_MARKER, 1, 1 };
    struct arena arena;
    struct chunk_manager *manager;
    struct chunk_writer writer;

    memcpy(entry + 3, recorded, sizeof(recorded));
    ck_assert_int_eq(arena_create_leased(&room, &ledger, owner, &arena), 0);
    atomic_store(&arena.header->generation, 1);
    ck_assert_int_eq(chunk_manager_create(&arena, 1, CHUNK_BYTES, &manager), 0);
    chunk_writer_init(&writer, manager, 0);
    ck_assert_int_eq(chunk_writer_refill(&writer, sizeof(entry)), 0);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, sizeof(entry)), 0);
    chunk_writer_finish(&writer);
    chunk_manager_destroy(manager);
    int fd = dup(arena.fd);
    arena_destroy(&arena);
    return fd;
}

/* One that lives, in which nobody listens. */
static inline struct child *add_alone(const char *name)
{
    struct child *child = add_child(name);

    child->lease_owner = lease_owner_make(child->pid, 1, false);
    child->arena_fd = make_arena(child->lease_owner);
    child_set_agent(child, CHILD_IS_ALONE);
    child_set_kept(&table, child, CHILD_KEPT_ARENA);
    return child;
}

static inline void on_agent_message(struct connection *connection, unsigned kind,
                                    const uint8_t *payload, size_t bytes, int *fds, size_t fd_count,
                                    void *owner)
{
    struct message_gather_profile message;
    (void)connection, (void)fds, (void)fd_count, (void)owner;

    if (kind == MESSAGE_GET_GATHER_PROFILE_PROGRESS) {
        agent.polled++;
        captures_note_progress(&captures, agent.child, agent.gather_id,
                               agent.is_stuck ? PROPORTION : PROPORTION + agent.polled);
        return;
    }
    ck_assert_uint_eq(kind, MESSAGE_GATHER_PROFILE);
    ck_assert_int_eq(message_get_gather_profile(payload, bytes, &message), 0);
    agent.gather_id = message.gather_id;
    agent.asked++;
    agent.on_asked(&agent);
}

static inline void on_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

static const struct connection_events agent_events = { on_agent_message, on_closed };

/* One with an agent, which does ON_ASKED. */
static inline struct child *add_with_agent(void (*on_asked)(struct agent *agent))
{
    struct child *child = add_alone("/bin/listener");
    int both[2];

    child_set_agent(child, CHILD_LISTENS);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
    agent = (struct agent){ .child = child, .on_asked = on_asked };
    ck_assert_int_eq(connection_accept(&loop, both[0], &agent_events, NULL, &agent.near), 0);
    ck_assert_int_eq(connection_accept(&loop, both[1], &agent_events, NULL, &agent.far), 0);
    child->connection = agent.near;
    return child;
}

static inline void tell_profile(const struct agent *from, uint64_t gather_id, const char *json)
{
    const struct message_profile message = { .gather_id = gather_id, .json_bytes = strlen(json) };
    int fd = memfd_create("profile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    ck_assert_int_eq(write(fd, json, strlen(json)), (ssize_t)strlen(json));
    captures_note_profile(&captures, from->child, &message, &fd);
    if (fd >= 0)
        close(fd);
}

static inline void answer_profile(struct agent *from)
{
    tell_profile(from, from->gather_id, own_json);
}

static inline void say_nothing(struct agent *from)
{
    (void)from;
}

static inline void fall_silent(struct agent *from)
{
    from->child->connection = NULL;
    child_detach(from->child);
    captures_note_silent(&captures, from->child);
}

static inline void on_kept(struct exit_record *record, int error, void *owner)
{
    struct child *child = owner;

    ck_assert_int_eq(error, 0);
    child->exit = record;
    child_set_kept(&table, child, CHILD_KEPT_COPIED);
    captures_note_stored(&captures, child);
}

/* CHILD has ended, and its arena goes to the exit store. */
static inline void end_child(struct child *child)
{
    int fd = child->arena_fd;

    child_end(&table, child, VERDICT_KILLED, SIGKILL, uv_hrtime());
    child->connection = NULL;
    child->arena_fd = -1;
    child_set_kept(&table, child, CHILD_KEPT_COPYING);
    ck_assert_int_eq(exit_store_keep(&exits, fd, child->lease_owner, child->end_ns, on_kept, child),
                     0);
    captures_note_ended(&captures, child);
}

static inline void end_at_once(struct agent *from)
{
    end_child(from->child);
}

/* Nothing of it could be saved. */
static inline void end_without_trace(struct agent *from)
{
    struct child *child = from->child;

    child_end(&table, child, VERDICT_KILLED, SIGKILL, uv_hrtime());
    child->connection = NULL;
    close(child->arena_fd);
    child->arena_fd = -1;
    child_set_kept(&table, child, CHILD_KEPT_NAME);
    captures_note_ended(&captures, child);
}

/* --- Life cycle --- */

static inline void set_up(void)
{
    const struct session_settings settings = { .interval_ns = 1000000 };
    const char *refusal;

    memset(&table, 0, sizeof(table));
    memset(&raised, 0, sizeof(raised));
    memset(&power, 0, sizeof(power));
    agent = (struct agent){ 0 };
    session = (struct session){ .generation = 1 };
    forgotten = lost_news = 0;
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(session_start(&session, &user, &settings, uv_hrtime(), &refusal), 0);
    session_move(&session, SESSION_EVENT_STARTED);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_signal_init(&loop, &ends), 0);
    ck_assert_int_eq(uv_signal_start(&ends, on_process_ended, SIGCHLD), 0);
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, LIMIT_UNITS * LEASE_UNIT_BYTES, &ledger), 0);
    close(fd);
    memory_controller_init(&controller, UINT64_MAX, 1);
    exit_store_init(&exits, &loop, &ledger, &controller, NULL);
    const struct captures_views views = {
        &session, &table, &exits, &power, &forgotten, &lost_news, worker_program, session.start_ns
    };
    captures_init(&captures, &loop, &views, &events, &raised);
    output = memfd_create("output", MFD_CLOEXEC);
}

static inline void tear_down(void)
{
    captures_close(&captures);
    captures_close(&captures);
    while (waitpid(-1, NULL, 0) > 0) /* workers that were cancelled */
        ;
    uv_close((uv_handle_t *)&ends, NULL);
    if (agent.near != NULL) {
        connection_close(agent.near, -ECANCELED);
        connection_close(agent.far, -ECANCELED);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    while (table.first != NULL)
        child_table_remove(&table, table.first);
    exit_store_destroy(&exits);
    memory_controller_fini(&controller);
    lease_ledger_close(&ledger);
    close(output);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static inline TCase *make_case(const char *name)
{
    TCase *made = tcase_create(name);

    tcase_add_checked_fixture(made, set_up, tear_down);
    tcase_set_timeout(made, TIMEOUT_S);
    return made;
}

/* The program is profd-salvage when it was started as such. */
static inline void capture_scene_begin(char **arguments)
{
    if (strcmp(arguments[0], worker_program) == 0)
        _exit(salvage_work());
}

#endif
