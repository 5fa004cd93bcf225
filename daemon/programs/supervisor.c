#include "daemon/programs/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "daemon/children/process_program.h"
#include "daemon/programs/command.h"
#include "daemon/programs/terminal.h"

/* --- Reaping --- */

static struct command *find_command(const struct supervisor *supervisor, pid_t pid)
{
    struct command *command = supervisor->commands;

    while (command != NULL && command->pid != pid)
        command = command->next;
    return command;
}

static bool is_work_over(const struct supervisor *supervisor)
{
    return supervisor->events->have_programs_ended(supervisor->context) &&
           (supervisor->commands == NULL || supervisor->is_grace_over);
}

static void end_if_shut_down(const struct supervisor *supervisor)
{
    if (supervisor->is_shutting_down && is_work_over(supervisor))
        supervisor->events->on_over(supervisor->context);
}

void supervisor_note_programs(struct supervisor *supervisor)
{
    end_if_shut_down(supervisor);
}

static void command_ended(struct command *command, int wait_status)
{
    struct supervisor *supervisor = command->supervisor;

    command_settle_start(command);
    terminal_take_back(command->terminal_fd);
    command_tell_exit(command, wait_status);
    bool is_main = command->is_main;
    struct program *program = command->program;
    int exit_status = command_exit_status(command, wait_status);
    command_forget(command);
    supervisor->events->on_ended(program, is_main, exit_status, supervisor->context);
    end_if_shut_down(supervisor);
}

/* The command was stopped, as by Ctrl-Z: the whole job stops, profctl too, and the shell takes
 * over. In a group that no shell looks after the signal has no effect, as it should. */
static void command_stopped(const struct command *command)
{
    if (command->terminal_fd < 0)
        return;
    terminal_take_back(command->terminal_fd);
    kill(0, SIGTSTP);
}

/* The next child that has ended or was stopped, which is waited for; 0: none. What can be told of
 * it before, is gone with it. */
static pid_t wait_for_next(int *wait_status, struct process_remains *remains)
{
    siginfo_t info = { 0 };

    if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
        return 0;
    process_remains_read(info.si_pid, remains);
    return waitpid(info.si_pid, wait_status, WNOHANG | WUNTRACED) > 0 ? info.si_pid : 0;
}

static void on_child_signal(uv_signal_t *handle, int signal_number)
{
    struct supervisor *supervisor = handle->data;
    struct process_remains remains;
    int wait_status;
    pid_t pid;
    (void)signal_number;

    while ((pid = wait_for_next(&wait_status, &remains)) > 0) {
        if (WIFSTOPPED(wait_status)) {
            const struct command *command = find_command(supervisor, pid);
            if (command != NULL)
                command_stopped(command);
            continue;
        }
        supervisor->events->on_reaped(pid, wait_status, &remains, supervisor->context);
    }
}

bool supervisor_has_run(const struct supervisor *supervisor, pid_t pid)
{
    struct command *command = find_command(supervisor, pid);

    if (command != NULL)
        command_settle_start(command);
    return command == NULL || command->failure == 0;
}

void supervisor_note_reaped(struct supervisor *supervisor, pid_t pid, int wait_status)
{
    struct command *command = find_command(supervisor, pid);

    if (command != NULL)
        command_ended(command, wait_status);
}

/* --- Signals --- */

/* The programs of the config have their own ways to end. */
void supervisor_pass_on(const struct supervisor *supervisor, int signal_number)
{
    for (const struct command *command = supervisor->commands; command != NULL;
         command = command->next) {
        if (command->program == NULL)
            kill(-command->pid, signal_number);
    }
}

int supervisor_signal(const struct supervisor *supervisor, const struct client *client,
                      int signal_number)
{
    int error = -ESRCH;

    for (const struct command *command = supervisor->commands; command != NULL;
         command = command->next) {
        if (command->launcher == client)
            error = kill(-command->pid, signal_number) < 0 ? -errno : 0;
    }
    return error;
}

static void on_grace_over(uv_timer_t *timer)
{
    struct supervisor *supervisor = timer->data;

    supervisor_pass_on(supervisor, SIGKILL);
    supervisor->is_grace_over = true;
    end_if_shut_down(supervisor);
}

void supervisor_shut_down(struct supervisor *supervisor)
{
    if (supervisor->is_shutting_down)
        return;
    supervisor->is_shutting_down = true;
    supervisor_pass_on(supervisor, SIGTERM);
    supervisor_pass_on(supervisor, SIGCONT); /* a stopped one could not obey */
    supervisor->events->on_shut_down(supervisor->context);
    if (is_work_over(supervisor))
        supervisor->events->on_over(supervisor->context);
    else
        uv_timer_start(&supervisor->grace, on_grace_over, SHUT_DOWN_GRACE_MS, 0);
}

static void on_signal(uv_signal_t *handle, int signal_number)
{
    const struct supervisor *supervisor = handle->data;
    supervisor->events->on_signal(signal_number, supervisor->context);
}

/* The job was continued: the command too, with the terminal when it is ours again. */
static void on_continue(uv_signal_t *handle, int signal_number)
{
    const struct supervisor *supervisor = handle->data;
    (void)signal_number;

    for (const struct command *command = supervisor->commands; command != NULL;
         command = command->next) {
        if (terminal_ours() >= 0)
            terminal_give(command->terminal_fd, command->pid);
        kill(-command->pid, SIGCONT);
    }
}

/* --- Life cycle --- */

static int catch_signals(struct supervisor *supervisor)
{
    static const int numbers[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM };
    int error = 0;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && error == 0; i++) {
        error = uv_signal_init(supervisor->loop, &supervisor->signals[i]);
        supervisor->signals[i].data = supervisor;
        if (error == 0)
            error = uv_signal_start(&supervisor->signals[i], on_signal, numbers[i]);
    }
    return error;
}

int supervisor_init(struct supervisor *supervisor, uv_loop_t *loop,
                    const struct supervisor_events *events, void *context)
{
    supervisor->loop = loop;
    supervisor->events = events;
    supervisor->context = context;
    int error = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;

    if (error == 0)
        error = uv_timer_init(loop, &supervisor->grace);
    if (error == 0)
        error = uv_signal_init(loop, &supervisor->child_signal);
    if (error == 0)
        error = uv_signal_init(loop, &supervisor->continue_signal);
    supervisor->grace.data = supervisor->child_signal.data = supervisor->continue_signal.data =
        supervisor;
    if (error == 0)
        error = uv_signal_start(&supervisor->child_signal, on_child_signal, SIGCHLD);
    if (error == 0)
        error = uv_signal_start(&supervisor->continue_signal, on_continue, SIGCONT);
    return error == 0 ? catch_signals(supervisor) : error;
}

void supervisor_note_client_gone(struct supervisor *supervisor, const struct client *client)
{
    for (struct command *command = supervisor->commands; command != NULL; command = command->next) {
        if (command->launcher == client)
            command->launcher = NULL;
    }
}

static void close_handle(uv_handle_t *handle)
{
    if (handle->data != NULL && !uv_is_closing(handle))
        uv_close(handle, NULL);
}

void supervisor_close(struct supervisor *supervisor)
{
    while (supervisor->commands != NULL) {
        terminal_take_back(supervisor->commands->terminal_fd);
        command_forget(supervisor->commands);
    }
    close_handle((uv_handle_t *)&supervisor->child_signal);
    close_handle((uv_handle_t *)&supervisor->continue_signal);
    close_handle((uv_handle_t *)&supervisor->grace);
    for (size_t i = 0; i < SUPERVISOR_SIGNALS; i++)
        close_handle((uv_handle_t *)&supervisor->signals[i]);
}
