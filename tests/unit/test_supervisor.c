/* daemon.supervisor, with its commands: real processes and a real loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/programs/command.h"
#include "daemon/programs/supervisor.h"
#include "ipc/messages.h"
#include "tests/unit/run_suite.h"

enum { MOST_REAPED = 16, TIMEOUT_S = 20 };

extern char **environ;

static uv_loop_t loop;
static struct supervisor supervisor;
static struct command *started; /* the latest */
static char start_text[COMMAND_TEXT_BYTES];
static struct message_command_exited exited;
static unsigned starts, exits, ends, overs, shut_downs, reaped;
static int exit_status, signal_seen;
static pid_t reaped_pids[MOST_REAPED];
static bool was_main, has_programs;

static void on_started(const struct command *command, const char *text, void *context)
{
    ck_assert_ptr_eq(context, &loop);
    ck_assert_ptr_eq(command, started);
    strcpy(start_text, text);
    starts++;
}

/* As the whole does: nobody else knows PID. */
static void on_reaped(pid_t pid, int wait_status, const struct process_remains *remains,
                      void *context)
{
    ck_assert_ptr_nonnull(remains);
    ck_assert_ptr_eq(context, &loop);
    ck_assert_uint_lt(reaped, MOST_REAPED);
    if (supervisor_has_run(&supervisor, pid))
        reaped_pids[reaped++] = pid;
    supervisor_note_reaped(&supervisor, pid, wait_status);
}

static void on_exited(const struct command *command, const struct message_command_exited *message,
                      void *context)
{
    (void)command, (void)context;
    exited = *message;
    exits++;
}

static void on_ended(struct program *program, bool is_main, int status, void *context)
{
    ck_assert_ptr_null(program);
    (void)context;
    was_main = is_main;
    exit_status = status;
    ends++;
}

static void on_signal(int signal_number, void *context)
{
    (void)context;
    signal_seen = signal_number;
}

static void on_shut_down(void *context)
{
    (void)context;
    shut_downs++;
}

static bool have_programs_ended(void *context)
{
    (void)context;
    return !has_programs;
}

static void on_over(void *context)
{
    (void)context;
    overs++;
}

static const struct supervisor_events events = {
    .on_started = on_started,
    .on_reaped = on_reaped,
    .on_exited = on_exited,
    .on_ended = on_ended,
    .on_signal = on_signal,
    .on_shut_down = on_shut_down,
    .have_programs_ended = have_programs_ended,
    .on_over = on_over,
};

static void set_up(void)
{
    memset(&supervisor, 0, sizeof(supervisor));
    starts = exits = ends = overs = shut_downs = reaped = 0;
    signal_seen = 0;
    has_programs = false;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(supervisor_init(&supervisor, &loop, &events, &loop), 0);
}

static void tear_down(void)
{
    supervisor_close(&supervisor);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

/* Runs SCRIPT with sh; NULL: a program that is not there. */
static struct command *run_script(const char *script)
{
    char *arguments[] = { script != NULL ? "/bin/sh" : "/nowhere/none", "-c", (char *)script,
                          NULL };

    started = command_make(&supervisor, arguments[0]);
    ck_assert_ptr_nonnull(started);
    started->terminal_fd = -1;
    ck_assert_int_eq(command_start(started, arguments, environ, NULL), 0);
    return started;
}

static void await_count(const unsigned *counter, unsigned count)
{
    while (*counter < count)
        uv_run(&loop, UV_RUN_ONCE);
}

START_TEST(a_command_runs_and_ends)
{
    pid_t pid = run_script("exit 3")->pid;

    await_count(&ends, 1);
    ck_assert_uint_eq(starts, 1);
    ck_assert_str_eq(start_text, "");
    ck_assert_uint_eq(exits, 1);
    ck_assert_int_eq((pid_t)exited.pid, pid);
    ck_assert(!exited.is_signal);
    ck_assert_uint_eq(exited.code, 3);
    ck_assert_int_eq(exit_status, 3);
    ck_assert(!was_main);
    ck_assert_int_eq(reaped_pids[0], pid);
    ck_assert_ptr_null(supervisor.commands);
}
END_TEST

START_TEST(what_a_command_will_run_is_known_before_it_does)
{
    char *environment[] = { "PATH=/nowhere:/bin", NULL };
    char *arguments[] = { "true", NULL };
    uint64_t before_ns = uv_hrtime();

    started = command_make(&supervisor, arguments[0]);
    ck_assert_int_eq(command_start(started, arguments, environment, "/"), 0);
    ck_assert_str_eq(started->executable, "/bin/true");
    ck_assert_int_eq(started->obstacle, OBSTACLE_ENVIRONMENT);
    ck_assert_uint_ge(started->start_ns, before_ns);
    await_count(&ends, 1);
}
END_TEST

START_TEST(profd_ends_as_shells_do_when_a_signal_ends_its_command)
{
    run_script("kill -USR1 $$")->is_main = true;
    await_count(&ends, 1);
    ck_assert(was_main);
    ck_assert(exited.is_signal);
    ck_assert_int_eq(exit_status, 128 + SIGUSR1);
}
END_TEST

START_TEST(what_cannot_run_is_told_and_is_no_process_of_the_session)
{
    run_script(NULL);
    await_count(&ends, 1);
    ck_assert_uint_eq(starts, 1);
    ck_assert_ptr_nonnull(strstr(start_text, "no such command"));
    ck_assert_int_eq(exit_status, 127);
    ck_assert_uint_eq(exits, 0);
    ck_assert_uint_eq(reaped, 0);
}
END_TEST

START_TEST(orphans_are_reaped_too)
{
    pid_t pid = run_script("sleep 0.05 & exit 0")->pid;

    await_count(&reaped, 2);
    ck_assert_uint_eq(ends, 1);
    ck_assert(reaped_pids[0] == pid || reaped_pids[1] == pid);
    ck_assert_int_ne(reaped_pids[0], reaped_pids[1]);
}
END_TEST

START_TEST(a_client_signals_its_own_commands_alone)
{
    static char me, other;
    struct client *mine = (struct client *)&me, *others = (struct client *)&other;

    run_script("exec sleep 100")->launcher = mine;
    ck_assert_int_eq(supervisor_signal(&supervisor, others, SIGTERM), -ESRCH);
    ck_assert_int_eq(supervisor_signal(&supervisor, mine, SIGTERM), 0);
    await_count(&ends, 1);
    ck_assert_uint_eq(exited.code, SIGTERM);
    ck_assert_int_eq(supervisor_signal(&supervisor, mine, SIGTERM), -ESRCH);
}
END_TEST

START_TEST(nobody_signals_the_commands_of_a_client_that_has_gone)
{
    static char me;
    struct client *mine = (struct client *)&me;

    run_script("exec sleep 100")->launcher = mine;
    supervisor_note_client_gone(&supervisor, mine);
    ck_assert_int_eq(supervisor_signal(&supervisor, mine, SIGTERM), -ESRCH);
    supervisor_pass_on(&supervisor, SIGKILL);
    await_count(&ends, 1);
}
END_TEST

START_TEST(a_shut_down_ends_commands_and_waits_for_programs)
{
    has_programs = true;
    run_script("exec sleep 100");
    supervisor_shut_down(&supervisor);
    supervisor_shut_down(&supervisor);
    ck_assert_uint_eq(shut_downs, 1);
    await_count(&ends, 1);
    ck_assert_uint_eq(overs, 0);
    has_programs = false;
    supervisor_note_programs(&supervisor);
    ck_assert_uint_eq(overs, 1);
}
END_TEST

START_TEST(without_commands_it_is_over_at_once)
{
    supervisor_note_programs(&supervisor); /* nobody shuts down */
    ck_assert_uint_eq(overs, 0);
    supervisor_shut_down(&supervisor);
    ck_assert_uint_eq(overs, 1);
}
END_TEST

START_TEST(signals_are_for_the_whole_to_judge)
{
    ck_assert_int_eq(kill(getpid(), SIGUSR2), 0);
    while (signal_seen == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_int_eq(signal_seen, SIGUSR2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.supervisor");
    TCase *commands = tcase_create("commands");
    tcase_add_checked_fixture(commands, set_up, tear_down);
    tcase_set_timeout(commands, TIMEOUT_S);
    tcase_add_test(commands, a_command_runs_and_ends);
    tcase_add_test(commands, what_a_command_will_run_is_known_before_it_does);
    tcase_add_test(commands, profd_ends_as_shells_do_when_a_signal_ends_its_command);
    tcase_add_test(commands, what_cannot_run_is_told_and_is_no_process_of_the_session);
    tcase_add_test(commands, orphans_are_reaped_too);
    tcase_add_test(commands, a_client_signals_its_own_commands_alone);
    tcase_add_test(commands, nobody_signals_the_commands_of_a_client_that_has_gone);
    tcase_add_test(commands, a_shut_down_ends_commands_and_waits_for_programs);
    tcase_add_test(commands, without_commands_it_is_over_at_once);
    tcase_add_test(commands, signals_are_for_the_whole_to_judge);
    suite_add_tcase(suite, commands);
    return run_suite(suite);
}
