/* daemon.triggers: workers are scripts, which are run and reaped by a real loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "daemon/children/child_table.h"
#include "daemon/session.h"
#include "daemon/triggers/triggers.h"
#include "tests/unit/run_suite.h"

enum { GENERATION = 3, TIMEOUT_S = 30 };

static char folder[64], worker[80], path[80];
static uv_loop_t loop;
static uv_signal_t child_signal;
static struct session session;
static struct child_table table;
static struct triggers triggers;
static char client_place;
static struct client *const client = (struct client *)&client_place;
static unsigned answers, overs;
static int answer_error, over_status;
static uint64_t answer_id;
static char answer_text[PATH_MAX];
static bool is_down;

static void on_answer(struct client *to, uint64_t id, int error, const char *text, void *context)
{
    ck_assert_ptr_eq(to, client);
    ck_assert_ptr_eq(context, &loop);
    answers++;
    answer_id = id;
    answer_error = error;
    snprintf(answer_text, sizeof(answer_text), "%s", text);
}

static int write_groups(int fd, void *context)
{
    (void)fd, (void)context;
    return -ENODATA;
}

static bool is_shutting_down(void *context)
{
    (void)context;
    return is_down;
}

static void on_over(int exit_status, void *context)
{
    (void)context;
    over_status = exit_status;
    overs++;
}

static const struct triggers_events events = { on_answer, write_groups, is_shutting_down, on_over };

static void on_child(uv_signal_t *handle, int number)
{
    int status;
    pid_t pid;
    (void)handle, (void)number;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        ck_assert(triggers_note_reaped(&triggers, pid, status));
}

/* A worker that does as SCRIPT says; its file is $5. */
static void set_worker(const char *script)
{
    FILE *out = fopen(worker, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out, "#!/bin/sh\n%s\n", script);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(chmod(worker, 0700), 0);
}

static void set_up(void)
{
    strcpy(folder, "/tmp/profd-triggers.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(worker, sizeof(worker), "%s/worker", folder);
    snprintf(path, sizeof(path), "%s/socket", folder);
    set_worker("shift 5; echo \"$1\" >\"$1\"");
    FILE *socket = fopen(path, "w"); /* its name is all that matters here */
    ck_assert_int_eq(fclose(socket), 0);
    memset(&table, 0, sizeof(table));
    memset(&triggers, 0, sizeof(triggers));
    session = (struct session){ .state = SESSION_ACTIVE, .generation = GENERATION };
    answers = overs = 0;
    is_down = false;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_signal_init(&loop, &child_signal), 0);
    ck_assert_int_eq(uv_signal_start(&child_signal, on_child, SIGCHLD), 0);
    const struct triggers_views views = { &session, &table, worker, path };
    ck_assert_int_eq(triggers_init(&triggers, &loop, &views, &events, &loop), 0);
}

static void tear_down(void)
{
    char command[128];

    triggers_close(&triggers);
    while (table.first != NULL) {
        triggers_forget_child(table.first);
        child_table_remove(&table, table.first);
    }
    uv_close((uv_handle_t *)&child_signal, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A session with triggers TEXTS of LENGTH bytes, whose files go to the folder. */
static void begin_session(const char *texts, size_t length)
{
    static const char output[] = "out-%e.json";
    const char *refusal;
    struct trigger_set set;

    ck_assert_msg(trigger_set_read(texts, length, output, strlen(output), 10, &set, &refusal) == 0,
                  "%s", refusal);
    triggers_start(&triggers, &set, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void note_end(pid_t pid, enum process_verdict verdict, int code)
{
    const struct child child = { .pid = pid, .verdict = verdict, .code = code };

    triggers_note_verdict(&triggers, &child);
}

static void await_written(uint64_t count)
{
    while (triggers.written + triggers.failed < count)
        uv_run(&loop, UV_RUN_ONCE);
}

static bool has_file(const char *name)
{
    char whole[128];
    snprintf(whole, sizeof(whole), "%s/%s", folder, name);
    return access(whole, F_OK) == 0;
}

START_TEST(a_signal_that_ends_a_process_is_captured)
{
    begin_session("signal", sizeof("signal"));
    note_end(42, VERDICT_EXITED, 3); /* is none */
    note_end(42, VERDICT_KILLED, SIGSEGV);
    await_written(1);
    ck_assert(has_file("out-SIGSEGV.json"));
    ck_assert_uint_eq(triggers.failed, 0);
}
END_TEST

START_TEST(nothing_happens_without_a_trigger_for_it_or_in_a_shut_down)
{
    begin_session("exit", sizeof("exit"));
    note_end(42, VERDICT_KILLED, SIGSEGV);
    ck_assert(!triggers_take_sigusr2(&triggers));
    is_down = true;
    note_end(42, VERDICT_EXITED, 3);
    is_down = false;
    note_end(42, VERDICT_EXITED, 0);
    note_end(42, VERDICT_VANISHED, 0);
    ck_assert(!triggers_are_under_way(&triggers, triggers_last_known(&triggers)));
    ck_assert_int_eq(triggers.worker.pid, 0);
}
END_TEST

/* The session that is always on has a trigger; it alone is on. */
static void begin_always_on(void)
{
    const char *refusal;
    struct always_on_triggers always_on = { .count = 0 };

    ck_assert_int_eq(always_on_triggers_add(&always_on, "name:always", &refusal), 0);
    ck_assert_int_eq(trigger_set_make_always_on(&always_on, &triggers.always_on, &refusal), 0);
    session.parts.items[session.parts.count++].owner = session_owner_always_on;
}

START_TEST(the_session_that_is_always_on_has_its_triggers_while_no_other_has_some)
{
    begin_always_on();
    triggers_start_always_on(&triggers);
    ck_assert(trigger_set_has_name(&triggers.set, "always"));
    begin_session("name:mine", sizeof("name:mine"));
    triggers_start_always_on(&triggers);
    ck_assert(trigger_set_has_name(&triggers.set, "mine"));
    triggers_end_user_session(&triggers);
    ck_assert(trigger_set_has_name(&triggers.set, "always"));
    triggers_ask(&triggers, client, 5, "mine");
    ck_assert_int_eq(answer_error, -EINVAL);
}
END_TEST

START_TEST(triggers_of_the_session_that_is_always_on_stay_while_it_is_on)
{
    begin_always_on();
    triggers_start_always_on(&triggers);
    triggers.written = 1;
    triggers_end_user_session(&triggers); /* one that had none */
    ck_assert_uint_eq(triggers.written, 1);
    session = (struct session){ .state = SESSION_IDLE };
    triggers_end_user_session(&triggers);
    ck_assert_uint_eq(triggers.set.count, 0);
}
END_TEST

START_TEST(who_asks_is_answered_with_the_file)
{
    begin_session("name:slow", sizeof("name:slow"));
    triggers_ask(&triggers, client, 5, "slow");
    ck_assert_uint_eq(answers, 0);
    await_written(1);
    ck_assert_uint_eq(answers, 1);
    ck_assert_uint_eq(answer_id, 5);
    ck_assert_int_eq(answer_error, 0);
    ck_assert_ptr_nonnull(strstr(answer_text, "/out-slow.json"));
}
END_TEST

START_TEST(who_asks_for_what_is_no_trigger_is_refused_and_told_why)
{
    begin_session("name:slow", sizeof("name:slow"));
    triggers_ask(&triggers, client, 5, "fast");
    ck_assert_int_eq(answer_error, -EINVAL);
    ck_assert_ptr_nonnull(strstr(answer_text, "no trigger of that name"));
    session.state = SESSION_IDLE;
    triggers_ask(&triggers, client, 5, "fast");
    ck_assert_ptr_nonnull(strstr(answer_text, "no session is active"));
}
END_TEST

START_TEST(who_has_gone_is_not_answered)
{
    begin_session("name:slow", sizeof("name:slow"));
    triggers_ask(&triggers, client, 5, "slow");
    triggers_note_client_gone(&triggers, client);
    await_written(1);
    ck_assert_uint_eq(answers, 0);
}
END_TEST

START_TEST(what_a_worker_said_last_is_why_it_failed)
{
    set_worker("echo first; echo 'profctl: no disk' >&2; exit 1");
    begin_session("name:slow", sizeof("name:slow"));
    triggers_ask(&triggers, client, 5, "slow");
    await_written(1);
    ck_assert_uint_eq(triggers.failed, 1);
    ck_assert_int_lt(answer_error, 0);
    ck_assert_str_eq(answer_text, "no disk");
}
END_TEST

START_TEST(markers_that_agents_tell_of_count_once)
{
    const struct child_introduction who = { .pid = 42, .executable = "x", .executable_length = 1 };
    struct child *child = child_table_add(&table, &who);

    begin_session("marker:long:1000", sizeof("marker:long:1000"));
    triggers_note_marker(&triggers, child, 0, 2);
    triggers_note_marker(&triggers, child, 0, 2);
    triggers_note_marker(&triggers, child, 7, 2); /* there is no such marker */
    ck_assert_uint_eq(triggers.gate.current.count, 2);
    await_written(1);
    ck_assert_uint_eq(trigger_gate_waiting(&triggers.gate), 0);
}
END_TEST

START_TEST(the_arena_of_who_has_ended_tells_what_it_could_not)
{
    const struct child_introduction who = { .pid = 42, .executable = "x", .executable_length = 1 };
    struct child *child = child_table_add(&table, &who);
    struct arena arena;

    clock_initialize();
    ck_assert_int_eq(arena_create(CHUNK_BYTES, &arena), 0);
    atomic_store(&arena.header->generation, GENERATION);
    atomic_store(&arena.header->marker_hits[0], 3);
    child->arena_fd = dup(arena.fd);
    arena_destroy(&arena);
    begin_session("marker:long:1000", sizeof("marker:long:1000"));
    triggers_note_ended(&triggers, child);
    ck_assert_uint_eq(triggers.gate.current.count, 3);
    await_written(1);
}
END_TEST

START_TEST(what_waits_when_the_session_ends_is_dropped_and_who_asked_is_told)
{
    begin_session("name:a\0name:b", sizeof("name:a\0name:b"));
    triggers_ask(&triggers, client, 1, "a");
    triggers_ask(&triggers, client, 2, "b");
    triggers_stop(&triggers);
    ck_assert_uint_eq(answers, 1);
    ck_assert_uint_eq(answer_id, 2);
    ck_assert_int_eq(answer_error, -ECANCELED);
    while (answers < 2) /* the worker that runs still finishes */
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(answer_id, 1);
    ck_assert_int_eq(answer_error, 0);
}
END_TEST

START_TEST(profd_ends_when_nothing_is_under_way_any_more)
{
    begin_session("signal", sizeof("signal"));
    note_end(42, VERDICT_KILLED, SIGSEGV);
    note_end(43, VERDICT_KILLED, SIGABRT);
    triggers_end_profd(&triggers, 6);
    ck_assert_uint_eq(overs, 0);
    while (overs == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_int_eq(over_status, 6);
    ck_assert(has_file("out-SIGSEGV.json") && has_file("out-SIGABRT.json"));
}
END_TEST

START_TEST(it_ends_at_once_when_nothing_is)
{
    triggers_end_profd(&triggers, 7);
    ck_assert_uint_eq(overs, 1);
    ck_assert_int_eq(over_status, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.triggers");
    TCase *all = tcase_create("triggers");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_set_timeout(all, TIMEOUT_S);
    tcase_add_test(all, a_signal_that_ends_a_process_is_captured);
    tcase_add_test(all, nothing_happens_without_a_trigger_for_it_or_in_a_shut_down);
    tcase_add_test(all, the_session_that_is_always_on_has_its_triggers_while_no_other_has_some);
    tcase_add_test(all, triggers_of_the_session_that_is_always_on_stay_while_it_is_on);
    tcase_add_test(all, who_asks_is_answered_with_the_file);
    tcase_add_test(all, who_asks_for_what_is_no_trigger_is_refused_and_told_why);
    tcase_add_test(all, who_has_gone_is_not_answered);
    tcase_add_test(all, what_a_worker_said_last_is_why_it_failed);
    tcase_add_test(all, markers_that_agents_tell_of_count_once);
    tcase_add_test(all, the_arena_of_who_has_ended_tells_what_it_could_not);
    tcase_add_test(all, what_waits_when_the_session_ends_is_dropped_and_who_asked_is_told);
    tcase_add_test(all, profd_ends_when_nothing_is_under_way_any_more);
    tcase_add_test(all, it_ends_at_once_when_nothing_is);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
