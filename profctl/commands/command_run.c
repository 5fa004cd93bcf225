/* run: one command under a profd of its own, from its first instruction to its last.
 *
 * Nothing of the command runs before profiling has started and the output is known to be writable.
 * Where no profd can run at all, the command runs without: it is what somebody wants to be done.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "common/exec_failure.h"
#include "profctl/client/client.h"
#include "profctl/client/private_daemon.h"
#include "profctl/commands/capture_make.h"
#include "profctl/commands/commands.h"
#include "profctl/commands/session_start.h"
#include "profctl/http_program.h"

static const int forwarded_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

enum { FORWARDED_SIGNALS = sizeof(forwarded_signals) / sizeof(forwarded_signals[0]) };

struct run {
    const struct arguments *arguments;
    struct client *client;
    struct capture_file *file;
    struct private_daemon daemon;
    pid_t command; /* 0: not known */
    struct capture_summary summary;
    bool is_captured; /* the file is in its place */
    uv_signal_t signals[FORWARDED_SIGNALS];
    uv_timer_t duration;
    uv_signal_t child;
    bool is_duration_over;
    bool is_alone;        /* profd has ended, and the command is our child */
    bool may_be_launched; /* the command: profd was asked to */
    bool has_no_daemon;   /* none could be started: nothing has begun */
};

/* --- What happens while the command runs --- */

/* A terminal's own signals go to the command's group alone, since that is in the foreground; what
 * arrives here was meant for us by somebody else, such as timeout(1). */
static void on_signal(uv_signal_t *handle, int signal_number)
{
    struct run *run = handle->data;

    if (run->is_alone)
        kill(run->command, signal_number);
    else
        client_signal(run->client, signal_number);
}

/* Only wakes who waits for the command. */
static void on_child(uv_signal_t *handle, int signal_number)
{
    (void)handle;
    (void)signal_number;
}

static void on_duration_over(uv_timer_t *timer)
{
    struct run *run = timer->data;

    run->is_duration_over = true;
}

/* What we were started with ignored (nohup) stays so. */
static bool is_ignored(int signal_number)
{
    struct sigaction action;

    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void start_watchers(struct run *run)
{
    uv_loop_t *loop = client_loop(run->client);

    for (int i = 0; i < FORWARDED_SIGNALS; i++) {
        uv_signal_init(loop, &run->signals[i]);
        run->signals[i].data = run;
        if (!is_ignored(forwarded_signals[i]))
            uv_signal_start(&run->signals[i], on_signal, forwarded_signals[i]);
    }
    uv_signal_init(loop, &run->child);
    uv_timer_init(loop, &run->duration);
    run->duration.data = run;
    if (run->arguments->duration_ms > 0)
        uv_timer_start(&run->duration, on_duration_over, run->arguments->duration_ms, 0);
}

static void stop_watching(struct run *run)
{
    for (int i = 0; i < FORWARDED_SIGNALS; i++)
        uv_close((uv_handle_t *)&run->signals[i], NULL);
    uv_close((uv_handle_t *)&run->child, NULL);
    uv_close((uv_handle_t *)&run->duration, NULL);
}

/* --- The course of a run --- */

/* What profd would have told, had it lived. False when the command cannot be waited for. */
static bool wait_without_profd(struct run *run, int *exit_status)
{
    pid_t ended;
    int status;

    (void)private_daemon_end(&run->daemon);
    run->is_alone = run->command > 0;
    if (!run->is_alone)
        return false;
    uv_signal_start(&run->child, on_child, SIGCHLD);
    while ((ended = waitpid(run->command, &status, WNOHANG)) == 0)
        uv_run(client_loop(run->client), UV_RUN_ONCE);
    run->is_alone = false;
    run->command = 0;
    uv_signal_stop(&run->child);
    if (ended < 0)
        return false;
    *exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

/* Until the command has ended or, with UNTIL_DURATION, the duration is over. */
static bool wait_for_command(struct run *run, bool until_duration, int *exit_status,
                             struct failure *failure)
{
    while (!client_command_exited(run->client, exit_status)) {
        if (until_duration && run->is_duration_over)
            return true;
        if (!client_wait(run->client, failure))
            break;
    }
    if (client_command_exited(run->client, exit_status))
        return true;
    failure_set(failure, EXIT_CODE_FAILED,
                "profd exited unexpectedly; '%s' keeps running without being profiled",
                run->arguments->operands[0]);
    say("%s", failure->text);
    failure->text[0] = '\0';
    return wait_without_profd(run, exit_status);
}

/* The exit code when the capture went as CODE says: the command's own word goes first. */
static int combined_code(int command_status, int code)
{
    return command_status != 0 ? command_status : code;
}

/* Captures, and waits for the rest of the command when its time was cut short. A failed capture is
 * told here, since the command's status may be what we exit with. */
static int capture_and_finish(struct run *run, struct failure *failure)
{
    int exit_status = 0, code;
    bool made = capture_make(run->client, run->file, run->arguments, true, &run->summary, failure);

    run->is_captured = made;
    if (made)
        code = capture_tell(run->file, run->arguments, &run->summary);
    else
        code = failure->code;
    if (!made)
        say("%s", failure->text);
    failure->text[0] = '\0';
    if (!wait_for_command(run, false, &exit_status, failure))
        return failure->code;
    return combined_code(exit_status, code);
}

static int run_command(struct run *run, struct failure *failure)
{
    int exit_status;

    if (!session_start(run->client, run->arguments, NULL, failure))
        return failure->code;
    run->may_be_launched = true;
    if (!client_launch(run->client, run->arguments->operands, failure))
        return failure->code;
    run->command = private_daemon_command(&run->daemon);
    if (!wait_for_command(run, true, &exit_status, failure))
        return failure->code;
    if (run->daemon.pid == 0) /* there is no profile */
        return combined_code(exit_status, failure->code);
    return capture_and_finish(run, failure);
}

static int run_with_client(struct run *run, struct failure *failure)
{
    struct failure ignored;
    int code;

    start_watchers(run);
    code = run_command(run, failure);
    /* If profd is gone already, it cannot be asked. */
    (void)client_ask(run->client, MESSAGE_CLIENT_SHUTDOWN, NULL, &ignored);
    stop_watching(run);
    client_close(run->client);
    return code;
}

static int run_with_daemon(struct run *run, struct failure *failure)
{
    int code;

    run->has_no_daemon = !private_daemon_start(&run->daemon, failure);
    if (run->has_no_daemon)
        return failure->code;
    code = client_adopt(run->daemon.fd, &run->client, failure) ? run_with_client(run, failure)
                                                               : (int)failure->code;
    if (private_daemon_end(&run->daemon) && code == EXIT_CODE_NO_DAEMON && !run->may_be_launched) {
        run->has_no_daemon = true;
        failure->text[0] = '\0'; /* it has said why */
    }
    return code;
}

/* In our place. Returns only when it cannot be run. */
static int become_command(char **words, struct failure *failure)
{
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); /* what private_daemon_start() may have set */
    execvp(words[0], words);
    int error = exec_failure(-errno, words[0], getenv("PATH"));
    if (error == -ENOENT)
        return (int)failure_set(failure, EXIT_CODE_NOT_FOUND,
                                "cannot run '%s': no such command; check its name and PATH",
                                words[0]);
    return (int)failure_set(failure, EXIT_CODE_NOT_EXECUTABLE, "cannot run '%s': %s", words[0],
                            strerror(-error));
}

/* The command's status stays what we exit with: a view that fails is told, and no more. */
static void show_capture(const struct run *run)
{
    const char *words[8];
    struct failure failure = { 0 };
    size_t count = 0;

    words[count++] = "profctl";
    words[count++] = "view";
    if (run->arguments->json)
        words[count++] = "--json";
    if (run->arguments->debuginfod)
        words[count++] = "--debuginfod";
    words[count++] = "--";
    words[count++] = capture_file_path(run->file);
    words[count] = NULL;
    (void)http_program_run((char *const *)words, &failure);
    if (failure.text[0] != '\0')
        say("%s", failure.text);
}

int command_run(const struct arguments *arguments, struct failure *failure)
{
    struct run run = { .arguments = arguments };
    int code;

    if (!capture_file_prepare_capture(arguments->output, &run.file, failure))
        return failure->code;
    code = run_with_daemon(&run, failure);
    if (arguments->open && run.is_captured)
        show_capture(&run);
    capture_file_close(run.file);
    if (!run.has_no_daemon || arguments->strict)
        return code;
    say("%s; '%s' runs without being profiled",
        failure->text[0] != '\0' ? failure->text : "profd cannot start", arguments->operands[0]);
    return become_command(arguments->operands, failure);
}
