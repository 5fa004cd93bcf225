#include "daemon/programs/programs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "daemon/children/child_watch.h"
#include "daemon/children/pidfd.h"
#include "daemon/log.h"
#include "daemon/programs/export_program.h"
#include "daemon/programs/program_file.h"

static void move_program(struct program *program, enum program_event event);

static void keep_file(const struct programs *programs)
{
    if (!programs->is_open)
        return; /* profd has ended meanwhile, in good order */
    int error = program_file_write(programs->socket_path, programs);
    if (error < 0)
        log_warn("cannot write %s." PROGRAM_FILE_NAME " (%s): if profd is killed, the next one "
                 "starts all programs again",
                 programs->socket_path, uv_strerror(error));
}

/* --- Carrying out what the life of a program asks for --- */

static void on_due(uv_timer_t *timer)
{
    move_program(timer->data, PROGRAM_EVENT_DUE);
}

static void on_timeout(uv_timer_t *timer)
{
    move_program(timer->data, PROGRAM_EVENT_TIMEOUT);
}

static void start_program(struct program *program)
{
    const struct programs *programs = program->owner;

    if (programs->events->launch(program, &program->pid, programs->context) < 0)
        move_program(program, PROGRAM_EVENT_FAILED);
}

static void wait_for_next(struct program *program)
{
    log_info("restarting '%s' in %llu ms", program->config->name,
             (unsigned long long)program->life.wait_ms);
    uv_timer_start(&program->timer, on_due, program->life.wait_ms, 0);
}

static void send_signal(struct program *program, int signal_number, uint64_t timeout_ms)
{
    if (program->pid > 0) {
        kill(-program->pid, signal_number);
        kill(-program->pid, SIGCONT); /* a stopped one could not obey */
    }
    uv_timer_start(&program->timer, on_timeout, timeout_ms, 0);
}

static void kill_group(struct program *program)
{
    log_warn_of(program->pid, "'%s' (%d) did not exit within %llu ms; killing it",
                program->config->name, program->pid,
                (unsigned long long)program->config->stop_timeout_ms);
    send_signal(program, SIGKILL, PROGRAM_KILL_PATIENCE_MS);
}

static void end_program(const struct program *program)
{
    if (program->life.runs > 0)
        log_info("'%s' has finished", program->config->name);
    program->owner->events->on_over(program->owner->context);
}

static void move_program(struct program *program, enum program_event event)
{
    switch (program_life_move(&program->life, event, uv_hrtime())) {
    case PROGRAM_DO_NOTHING:
        return;
    case PROGRAM_DO_START:
        start_program(program);
        break;
    case PROGRAM_DO_WAIT:
        wait_for_next(program);
        break;
    case PROGRAM_DO_SIGNAL:
        send_signal(program, program->config->stop_signal, program->config->stop_timeout_ms);
        break;
    case PROGRAM_DO_KILL:
        kill_group(program);
        break;
    case PROGRAM_DO_END:
        uv_timer_stop(&program->timer);
        end_program(program);
        break;
    }
    keep_file(program->owner);
}

bool programs_is_export(const char *name)
{
    return strcmp(name, EXPORT_PROGRAM_NAME) == 0;
}

bool programs_runs_export(const struct programs *programs, pid_t pid)
{
    for (size_t i = 0; programs->list != NULL && i < programs->config.count; i++) {
        const struct program *program = &programs->list[i];
        if (program->pid == pid && programs_is_export(program->config->name))
            return true;
    }
    return false;
}

/* --- The end of a program's process --- */

void programs_note_ended(struct program *program, bool has_failed)
{
    program->pid = 0;
    uv_timer_stop(&program->timer);
    move_program(program, has_failed ? PROGRAM_EVENT_FAILED : PROGRAM_EVENT_SUCCEEDED);
}

/* An adopted one's. */
static void end_adopted(struct program *program, bool has_failed)
{
    child_watch_stop(program->watch);
    program->watch = NULL;
    log_info_of(program->pid, "'%s' (%d) has ended", program->config->name, program->pid);
    programs_note_ended(program, has_failed);
}

static void on_status_overdue(uv_timer_t *timer)
{
    end_adopted(timer->data, true);
}

static void on_adopted_ended(void *owner)
{
    struct program *program = owner;
    uv_timer_start(&program->timer, on_status_overdue, PROGRAM_STATUS_PATIENCE_MS, 0);
}

/* One whose status this kernel cannot tell may well have failed. */
static void on_adopted_status(const int *wait_status, void *owner)
{
    bool has_failed =
        wait_status == NULL || !WIFEXITED(*wait_status) || WEXITSTATUS(*wait_status) != 0;
    end_adopted(owner, has_failed);
}

/* --- Adopting --- */

static const struct child_watch_events adopted_events = { on_adopted_ended, on_adopted_status };

static void adopt_program(struct program *program, pid_t pid)
{
    int pidfd = pidfd_of_process(pid);
    int error = pidfd < 0 ? pidfd
                          : child_watch_start(program->owner->loop, pidfd, &adopted_events, program,
                                              &program->watch);

    if (error < 0) {
        log_warn_of(pid, "cannot watch '%s' (%d), which still runs: %s", program->config->name, pid,
                    uv_strerror(error));
        return;
    }
    program->life.state = PROGRAM_RUNNING;
    program->life.start_ns = uv_hrtime();
    program->life.runs = 1;
    program->pid = pid;
    log_info_of(pid, "'%s' still runs as %d", program->config->name, pid);
}

static struct program *find_program(struct programs *programs, const char *name)
{
    for (size_t i = 0; i < programs->config.count; i++) {
        if (strcmp(programs->list[i].config->name, name) == 0)
            return &programs->list[i];
    }
    return NULL;
}

/* A program of the profd that was killed. */
static void meet_program(const char *name, bool is_over, pid_t pid, void *context)
{
    struct program *program = find_program(context, name);

    if (program == NULL && pid > 0)
        log_warn_of(pid, "'%.64s' is no longer in the config but still runs as %d", name, pid);
    if (program == NULL)
        return;
    if (is_over)
        program->life.state = PROGRAM_OVER;
    else if (pid > 0)
        adopt_program(program, pid);
}

static void meet_earlier_ones(struct programs *programs)
{
    int error = program_file_read(programs->socket_path, meet_program, programs);

    if (error < 0 && error != -ENOENT)
        log_warn("cannot read %s." PROGRAM_FILE_NAME " (%s): starting all programs",
                 programs->socket_path, uv_strerror(error));
}

/* --- All of them --- */

static int make_list(struct programs *programs)
{
    programs->list = calloc(programs->config.count, sizeof(*programs->list));
    if (programs->list == NULL)
        return -ENOMEM;
    programs->is_open = true;
    for (size_t i = 0; i < programs->config.count; i++) {
        struct program *program = &programs->list[i];
        program->owner = programs;
        program->config = &programs->config.programs[i];
        program_life_init(&program->life, program->config->restart);
        uv_timer_init(programs->loop, &program->timer);
        program->timer.data = program;
    }
    return 0;
}

void programs_init(struct programs *programs, uv_loop_t *loop, const struct programs_events *events,
                   void *context)
{
    programs->loop = loop;
    programs->events = events;
    programs->context = context;
}

int programs_load(struct programs *programs, const char *file)
{
    char error_text[CONFIG_ERROR_TEXT];
    int error = config_load(file, &programs->config, error_text);

    programs->file = file;
    if (error < 0)
        log_error("%s", error_text);
    return error;
}

int programs_add_export(struct programs *programs, const char *profctl, const char *path,
                        const char *url)
{
    int error = export_program_add(&programs->config, profctl, path, url);

    if (error == -EEXIST)
        log_error("the name '" EXPORT_PROGRAM_NAME
                  "' is reserved for --export; rename that program "
                  "in %s",
                  programs->file);
    else if (error < 0)
        log_error("cannot export: %s", uv_strerror(error));
    return error;
}

int programs_begin(struct programs *programs, const char *path)
{
    if (programs->config.count == 0)
        return 0;
    programs->socket_path = path;
    int error = make_list(programs);
    if (error < 0) {
        log_error("cannot run programs: %s", uv_strerror(error));
        return error;
    }
    meet_earlier_ones(programs);
    for (size_t i = 0; i < programs->config.count; i++)
        move_program(&programs->list[i], PROGRAM_EVENT_DUE);
    return 0;
}

void programs_stop(struct programs *programs)
{
    for (size_t i = 0; programs->is_open && i < programs->config.count; i++)
        move_program(&programs->list[i], PROGRAM_EVENT_STOP);
}

bool programs_have_ended(const struct programs *programs)
{
    for (size_t i = 0; programs->is_open && i < programs->config.count; i++) {
        if (programs->list[i].life.state != PROGRAM_OVER)
            return false;
    }
    return true;
}

void programs_close(struct programs *programs)
{
    if (!programs->is_open)
        return;
    programs->is_open = false;
    for (size_t i = 0; i < programs->config.count; i++) {
        child_watch_stop(programs->list[i].watch);
        uv_close((uv_handle_t *)&programs->list[i].timer, NULL);
    }
    program_file_remove(programs->socket_path);
}

void programs_destroy(struct programs *programs)
{
    free(programs->list);
    config_free(&programs->config);
}
