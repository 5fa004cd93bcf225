/* daemon.programs: real processes and a real loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/programs/program_file.h"
#include "daemon/programs/programs.h"
#include "tests/unit/run_suite.h"

enum { MOST_LAUNCHES = 16, TIMEOUT_S = 30 };

static char folder[64], path[80], file[80];
static uv_loop_t loop;
static uv_signal_t child_signal;
static struct programs programs;
static struct {
    struct program *program;
    pid_t pid;
} launched[MOST_LAUNCHES];
static unsigned launches, overs;
static int launch_error, last_status;

/* What the supervisor does: a process group of its own, and its end is told. */
static int launch_program(struct program *program, pid_t *pid, void *context)
{
    ck_assert_ptr_eq(context, &launched);
    ck_assert_uint_lt(launches, MOST_LAUNCHES);
    launched[launches].program = program;
    launches++;
    if (launch_error < 0)
        return launch_error;
    *pid = fork();
    ck_assert_int_ge(*pid, 0);
    if (*pid == 0) {
        setpgid(0, 0);
        execvp(program->config->command[0], program->config->command);
        _exit(127);
    }
    setpgid(*pid, *pid); /* whoever is first */
    launched[launches - 1].pid = *pid;
    return 0;
}

static void on_over(void *context)
{
    ck_assert_ptr_eq(context, &launched);
    overs++;
}

static const struct programs_events events = { launch_program, on_over };

static void on_child(uv_signal_t *handle, int number)
{
    int status;
    pid_t pid;
    (void)handle, (void)number;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        last_status = status;
        for (unsigned i = 0; i < launches; i++) {
            if (launched[i].pid == pid)
                programs_note_ended(launched[i].program, status != 0);
        }
    }
}

static void set_up(void)
{
    signal(SIGTERM,
           SIG_DFL); /* Check's handler would be that of processes before their exec, too */
    strcpy(folder, "/tmp/profd-programs.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/socket", folder);
    snprintf(file, sizeof(file), "%s/config", folder);
    memset(&programs, 0, sizeof(programs));
    memset(launched, 0, sizeof(launched));
    launches = overs = 0;
    launch_error = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_signal_init(&loop, &child_signal), 0);
    ck_assert_int_eq(uv_signal_start(&child_signal, on_child, SIGCHLD), 0);
    programs_init(&programs, &loop, &events, &launched);
}

static void tear_down(void)
{
    char command[128];

    programs_close(&programs);
    uv_close((uv_handle_t *)&child_signal, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    programs_destroy(&programs);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A config of one program, NAME. */
static void load_config(const char *name, const char *command, const char *more)
{
    FILE *out = fopen(file, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out, "{\"programs\": [{\"name\": \"%s\", \"command\": %s%s}]}\n", name, command, more);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(programs_load(&programs, file), 0);
}

static void begin_programs(void)
{
    ck_assert_int_eq(programs_begin(&programs, path), 0);
}

static void run_until_over(void)
{
    while (!programs_have_ended(&programs))
        uv_run(&loop, UV_RUN_ONCE);
}

START_TEST(a_program_that_succeeds_is_over)
{
    load_config("one", "[\"true\"]", ", \"restart\": \"on-failure\"");
    begin_programs();
    ck_assert(!programs_have_ended(&programs));
    run_until_over();
    ck_assert_uint_eq(launches, 1);
    ck_assert_uint_eq(overs, 1);
}
END_TEST

START_TEST(one_that_fails_is_run_again_after_a_while)
{
    load_config("one", "[\"false\"]", ", \"restart\": \"on-failure\"");
    begin_programs();
    while (launches < 3)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(overs, 0);
    programs_stop(&programs);
    run_until_over();
    ck_assert_uint_eq(overs, 1);
}
END_TEST

START_TEST(so_is_one_that_cannot_be_run)
{
    launch_error = -ENOENT;
    load_config("one", "[\"none\"]", ", \"restart\": \"always\"");
    begin_programs();
    while (launches < 2)
        uv_run(&loop, UV_RUN_ONCE);
    programs_stop(&programs);
    ck_assert(programs_have_ended(&programs));
}
END_TEST

START_TEST(one_that_does_not_obey_is_killed_with_its_group)
{
    char ready[128], command[256];

    snprintf(ready, sizeof(ready), "%s/ready", folder);
    snprintf(command, sizeof(command),
             "[\"sh\", \"-c\", \"trap '' TERM; touch %s; exec sleep 100\"]", ready);
    load_config("one", command, ", \"restart\": \"always\", \"stop_timeout_ms\": 50");
    begin_programs();
    while (access(ready, F_OK) < 0)
        usleep(1000);
    programs_stop(&programs);
    run_until_over();
    ck_assert_uint_eq(launches, 1);
    ck_assert(WIFSIGNALED(last_status));
    ck_assert_int_eq(WTERMSIG(last_status), SIGKILL);
}
END_TEST

static void meet_program(const char *name, bool is_over, pid_t pid, void *context)
{
    ck_assert_str_eq(name, "one");
    ck_assert(!is_over);
    *(pid_t *)context = pid;
}

/* As a profd that is killed leaves it. */
static pid_t leave_running(void)
{
    pid_t pid = 0;

    load_config("one", "[\"sleep\", \"100\"]", ", \"restart\": \"never\"");
    begin_programs();
    ck_assert_int_eq(program_file_read(path, meet_program, &pid), 0);
    ck_assert_int_eq(pid, launched[0].pid);
    uv_timer_stop(&programs.list[0].timer);
    uv_close((uv_handle_t *)&programs.list[0].timer, NULL);
    uv_run(&loop, UV_RUN_NOWAIT);
    programs_destroy(&programs);
    memset(&programs, 0, sizeof(programs));
    programs_init(&programs, &loop, &events, &launched);
    launched[0].pid = 0; /* nobody here hears of its end but by its watch */
    return pid;
}

START_TEST(one_that_still_runs_is_adopted_and_not_started_twice)
{
    pid_t pid = leave_running();

    load_config("one", "[\"sleep\", \"100\"]", ", \"restart\": \"never\"");
    begin_programs();
    ck_assert_uint_eq(launches, 1);
    ck_assert_int_eq(programs.list[0].pid, pid);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    run_until_over();
    ck_assert_uint_eq(launches, 1);
    ck_assert_uint_eq(overs, 1);
}
END_TEST

START_TEST(a_good_end_leaves_no_file_and_lets_programs_live)
{
    pid_t pid = 0;

    load_config("one", "[\"sleep\", \"100\"]", "");
    begin_programs();
    programs_close(&programs);
    ck_assert_int_eq(program_file_read(path, meet_program, &pid), -ENOENT);
    ck_assert_int_eq(kill(launched[0].pid, 0), 0);
    ck_assert_int_eq(kill(launched[0].pid, SIGKILL), 0);
    launched[0].pid = 0;
}
END_TEST

START_TEST(no_program_of_the_config_is_called_as_the_export_is)
{
    load_config("profctl export", "[\"true\"]", "");
    ck_assert_int_eq(programs_add_export(&programs, "profctl", path, "http://x"), -EEXIST);
}
END_TEST

START_TEST(without_programs_nothing_begins)
{
    begin_programs();
    ck_assert(programs_have_ended(&programs));
    programs_stop(&programs);
    ck_assert_uint_eq(launches, 0);
    ck_assert_uint_eq(overs, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.programs");
    TCase *all = tcase_create("programs");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_set_timeout(all, TIMEOUT_S);
    tcase_add_test(all, a_program_that_succeeds_is_over);
    tcase_add_test(all, one_that_fails_is_run_again_after_a_while);
    tcase_add_test(all, so_is_one_that_cannot_be_run);
    tcase_add_test(all, one_that_does_not_obey_is_killed_with_its_group);
    tcase_add_test(all, one_that_still_runs_is_adopted_and_not_started_twice);
    tcase_add_test(all, a_good_end_leaves_no_file_and_lets_programs_live);
    tcase_add_test(all, no_program_of_the_config_is_called_as_the_export_is);
    tcase_add_test(all, without_programs_nothing_begins);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
