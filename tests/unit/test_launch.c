/* daemon.programs.launch: real commands and a real loop, and no daemon. What a command sees of its
 * environment it tells by its exit status. */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/features.h"
#include "daemon/paths.h"
#include "daemon/programs/command.h"
#include "daemon/programs/launch.h"
#include "daemon/programs/supervisor.h"
#include "daemon/session.h"
#include "tests/unit/run_suite.h"

enum { TIMEOUT_S = 20, AS_EXPECTED = 7, NOT_FOUND = 127 };

static const char socket_path[] = "/run/launch.sock";

static uv_loop_t loop;
static struct supervisor supervisor;
static struct install_paths paths;
static struct session session;
static struct launch launch;
static char client_place;
static struct client *const client = (struct client *)&client_place;

static struct {
    unsigned starts, ends;
    char start_text[COMMAND_TEXT_BYTES];
    struct client *launcher;
    uint64_t request_id;
    bool is_main;
    int exit_status;
} seen;

static void on_started(const struct command *command, const char *text, void *context)
{
    ck_assert_ptr_eq(context, &seen);
    strcpy(seen.start_text, text);
    seen.launcher = command->launcher;
    seen.request_id = command->request_id;
    seen.starts++;
}

static void on_reaped(pid_t pid, int wait_status, const struct process_remains *remains,
                      void *context)
{
    (void)remains, (void)context;
    (void)supervisor_has_run(&supervisor, pid); /* tells its start before its end */
    supervisor_note_reaped(&supervisor, pid, wait_status);
}

static void on_exited(const struct command *command, const struct message_command_exited *message,
                      void *context)
{
    (void)command, (void)message;
    ck_assert_ptr_eq(context, &seen);
}

static void on_ended(struct program *program, bool is_main, int exit_status, void *context)
{
    (void)program, (void)context;
    seen.is_main = is_main;
    seen.exit_status = exit_status;
    seen.ends++;
}

static bool have_programs_ended(void *context)
{
    (void)context;
    return true;
}

static const struct supervisor_events events = {
    .on_started = on_started,
    .on_reaped = on_reaped,
    .on_exited = on_exited,
    .on_ended = on_ended,
    .have_programs_ended = have_programs_ended,
};

/* A library that is there and harms nobody who preloads it. */
static void find_library(char out[PATH_MAX])
{
    Dl_info info;

    ck_assert_int_ne(dladdr((void *)getppid, &info), 0);
    ck_assert_ptr_nonnull(realpath(info.dli_fname, out));
}

static void set_up(void)
{
    memset(&seen, 0, sizeof(seen));
    memset(&supervisor, 0, sizeof(supervisor));
    session = (struct session){ .state = SESSION_ACTIVE, .generation = 3 };
    paths = (struct install_paths){ .malloc_hooks = "/nowhere/hooks.so" };
    find_library(paths.library);
    launch = (struct launch){ &supervisor, &paths, socket_path, &session };
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(supervisor_init(&supervisor, &loop, &events, &seen), 0);
}

static void tear_down(void)
{
    supervisor_close(&supervisor);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void await_end(void)
{
    while (seen.ends == 0)
        uv_run(&loop, UV_RUN_ONCE);
}

START_TEST(profds_own_command_finds_profd_and_its_agent)
{
    char *arguments[] = { "/bin/sh", "-c",
                          "[ \"$PROFD_SOCKET\" = /run/launch.sock ] && [ -r \"${LD_PRELOAD%%:*}\" ]"
                          " && [ \"$LAUNCH_TEST\" = mine ] && exit 7",
                          NULL };

    ck_assert_int_eq(setenv("LAUNCH_TEST", "mine", 1), 0);
    ck_assert_int_eq(launch_main(&launch, arguments), 0);
    await_end();
    ck_assert_uint_eq(seen.starts, 1);
    ck_assert_str_eq(seen.start_text, "");
    ck_assert(seen.is_main);
    ck_assert_int_eq(seen.exit_status, AS_EXPECTED);
}
END_TEST

START_TEST(a_program_has_variables_and_a_folder_of_its_own)
{
    char *arguments[] = { "/bin/sh", "-c",
                          "[ \"$LAUNCH_TEST\" = its ] && [ \"$(pwd)\" = / ] &&"
                          " [ \"$(env | grep -c ^LAUNCH_TEST=)\" = 1 ] && exit 7",
                          NULL };
    char *added[] = { "LAUNCH_TEST=its", NULL };
    const struct program_config config = {
        .name = "its", .command = arguments, .environment = added, .directory = "/"
    };
    struct command *command;

    ck_assert_int_eq(setenv("LAUNCH_TEST", "mine", 1), 0);
    ck_assert_int_eq(launch_program(&launch, &config, &command), 0);
    ck_assert_str_eq(command->name, "its");
    ck_assert_int_eq(command->terminal_fd, -1);
    await_end();
    ck_assert(!seen.is_main);
    ck_assert_int_eq(seen.exit_status, AS_EXPECTED);
}
END_TEST

/* What a client asks for: SCRIPT, in the environment "A=1". */
static struct message_client_launch ask_for(const char *script, char words[256])
{
    static const char shell[] = "/bin/sh\0-c", environment[] = "A=1";
    size_t bytes = sizeof(shell);

    memcpy(words, shell, bytes);
    bytes += (size_t)snprintf(words + bytes, 256 - bytes, "%s", script) + 1;
    return (struct message_client_launch){
        .id = 9,
        .arguments = { words, bytes },
        .environment = { environment, sizeof(environment) },
        .directory = { "/", 1 },
    };
}

START_TEST(a_client_gets_its_command_in_its_environment_alone)
{
    char words[256], text[COMMAND_TEXT_BYTES];
    const struct message_client_launch message = ask_for(
        "[ \"$A\" = 1 ] && [ -z \"$LAUNCH_TEST\" ] && [ -n \"$PROFD_SOCKET\" ] && exit 7", words);

    ck_assert_int_eq(setenv("LAUNCH_TEST", "mine", 1), 0);
    ck_assert_int_eq(launch_for_client(&launch, client, &message, text), 0);
    await_end();
    ck_assert_ptr_eq(seen.launcher, client);
    ck_assert_uint_eq(seen.request_id, 9);
    ck_assert_int_eq(seen.exit_status, AS_EXPECTED);
}
END_TEST

START_TEST(what_a_client_may_not_ask_for_is_refused)
{
    char words[256], text[COMMAND_TEXT_BYTES];
    struct message_client_launch message = ask_for("exit 0", words);

    message.arguments.length--; /* the last word does not end */
    ck_assert_int_eq(launch_for_client(&launch, client, &message, text), -EINVAL);
    ck_assert_ptr_nonnull(strstr(text, "cannot run the command"));
    message.arguments.length = 0;
    ck_assert_int_eq(launch_for_client(&launch, client, &message, text), -EINVAL);
    message = ask_for("exit 0", words);
    message.environment.length--;
    ck_assert_int_eq(launch_for_client(&launch, client, &message, text), -EINVAL);
    ck_assert_ptr_null(supervisor.commands);
}
END_TEST

START_TEST(a_command_that_is_not_there_is_told_of_when_it_was_started)
{
    char *arguments[] = { "/nowhere/none", NULL };

    ck_assert_int_eq(launch_main(&launch, arguments), 0);
    await_end();
    ck_assert_ptr_nonnull(strstr(seen.start_text, "no such command"));
    ck_assert_int_eq(seen.exit_status, NOT_FOUND);
}
END_TEST

START_TEST(without_an_agent_nothing_is_run)
{
    char words[256], text[COMMAND_TEXT_BYTES];
    const struct message_client_launch message = ask_for("exit 0", words);

    strcpy(paths.library, "/nowhere/libprofd.so");
    ck_assert_int_eq(launch_for_client(&launch, client, &message, text), -ENOENT);
    ck_assert_ptr_nonnull(strstr(text, "/nowhere/libprofd.so"));
    strcpy(paths.library, "/no where/libprofd.so");
    ck_assert_int_eq(launch_for_client(&launch, client, &message, text), -EINVAL);
    ck_assert_ptr_nonnull(strstr(text, "blanks"));
    ck_assert_ptr_null(supervisor.commands);
}
END_TEST

START_TEST(hooks_of_malloc_are_needed_by_a_session_that_has_allocations)
{
    char *arguments[] = { "/bin/sh", "-c", "exit 7", NULL };

    session.settings.features = FEATURE_NATIVEALLOCS;
    ck_assert_int_eq(launch_main(&launch, arguments), -ENOENT);
    ck_assert_ptr_null(supervisor.commands);
    strcpy(paths.malloc_hooks, paths.library);
    ck_assert_int_eq(launch_main(&launch, arguments), 0);
    await_end();
    ck_assert_int_eq(seen.exit_status, AS_EXPECTED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.programs.launch");
    TCase *all = tcase_create("commands");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_set_timeout(all, TIMEOUT_S);
    tcase_add_test(all, profds_own_command_finds_profd_and_its_agent);
    tcase_add_test(all, a_program_has_variables_and_a_folder_of_its_own);
    tcase_add_test(all, a_client_gets_its_command_in_its_environment_alone);
    tcase_add_test(all, what_a_client_may_not_ask_for_is_refused);
    tcase_add_test(all, a_command_that_is_not_there_is_told_of_when_it_was_started);
    tcase_add_test(all, without_an_agent_nothing_is_run);
    tcase_add_test(all, hooks_of_malloc_are_needed_by_a_session_that_has_allocations);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
