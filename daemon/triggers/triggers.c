#include "daemon/triggers/triggers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/time_units.h"
#include "daemon/children/child_table.h"
#include "daemon/log.h"
#include "daemon/session.h"
#include "daemon/triggers/triggers_inside.h"

static void advance_captures(struct triggers *triggers);

/* --- Who waits for an answer --- */

/* What those who waited are told. */
struct answer {
    const struct triggers *triggers;
    int error;
    const char *text;
};

static void give_answer(struct client *client, uint64_t id, void *context)
{
    const struct answer *answer = context;

    answer->triggers->events->on_answer(client, id, answer->error, answer->text,
                                        answer->triggers->context);
}

static void answer_waiters(struct triggers *triggers, enum trigger_waiters_kind kind, int error,
                           const char *text)
{
    struct answer given = { triggers, error, text };

    trigger_waiters_release(&triggers->waiters, kind, give_answer, &given);
}

static void answer_now(const struct triggers *triggers, struct client *client, uint64_t id,
                       int error, const char *text)
{
    triggers->events->on_answer(client, id, error, text, triggers->context);
}

void triggers_note_client_gone(struct triggers *triggers, const struct client *client)
{
    trigger_waiters_forget(&triggers->waiters, client);
}

/* --- A capture --- */

/* Where NAME is, for people. */
static void describe_file(const struct triggers *triggers, const char *name, char out[PATH_MAX])
{
    char link[32], folder[PATH_MAX];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", triggers->directory_fd);
    ssize_t length = name[0] != '/' ? readlink(link, folder, sizeof(folder) - 1) : 0;
    if (length < 0)
        length = 0;
    folder[length] = '\0';
    if (snprintf(out, PATH_MAX, "%s%s%s", folder, length > 0 ? "/" : "", name) >= PATH_MAX)
        snprintf(out, PATH_MAX, "%s", name);
}

static void describe_cause(const struct trigger_cause *cause, char *out, size_t capacity)
{
    int length = snprintf(out, capacity, "%s", cause->name);

    if (cause->pid > 0)
        length += snprintf(out + length, capacity - (size_t)length, " of %d", cause->pid);
    if (cause->count > 1)
        snprintf(out + length, capacity - (size_t)length, ", %llu times",
                 (unsigned long long)cause->count);
}

/* Returns the file's name for people. */
static const char *note_written(struct triggers *triggers, const char *about, const char *remark)
{
    if (triggers->worker_generation != triggers->generation || triggers->directory_fd < 0) {
        log_info("wrote %s (%s)", triggers->worker_name, about);
        return triggers->worker_name; /* its session is over, and its folder closed */
    }
    triggers->written++;
    describe_file(triggers, triggers->worker_name, triggers->last_file);
    log_info("wrote %s (%s)%s%s", triggers->last_file, about, remark[0] != '\0' ? ": " : "",
             remark);
    int error = trigger_files_add(&triggers->files, triggers->directory_fd, triggers->worker_name);
    if (error == 0)
        error =
            trigger_files_limit(&triggers->files, triggers->directory_fd, triggers->set.max_files);
    if (error < 0)
        log_warn("cannot delete captures beyond the latest %llu: %s",
                 (unsigned long long)triggers->set.max_files, strerror(-error));
    return triggers->last_file;
}

/* The capture under way is over, with ERROR and TEXT. */
static void finish_capture(struct triggers *triggers, int error, const char *text)
{
    char about[TRIGGER_NAME_BYTES + 64];

    describe_cause(&triggers->gate.current, about, sizeof(about));
    if (error == 0) {
        answer_waiters(triggers, WAITERS_SERVED, 0, note_written(triggers, about, text));
    } else {
        triggers->failed++;
        snprintf(triggers->last_error, sizeof(triggers->last_error), "%s", text);
        log_warn("no capture was written (%s): %s", about, text);
        answer_waiters(triggers, WAITERS_SERVED, error, text);
    }
    trigger_gate_end(&triggers->gate);
}

/* 0, or a negative errno: no worker was started. */
static int begin_capture(struct triggers *triggers)
{
    const struct trigger_cause *cause = &triggers->gate.current;
    struct output_event event = {
        .pid = cause->pid > 0 ? cause->pid : getpid(),
        .unix_s = time(NULL),
        .name = cause->name,
        .number = triggers->next_number,
    };
    uint64_t reach_ms = trigger_gate_reach_ms(cause, triggers->set.last_ms, uv_hrtime());
    int error = output_pattern_expand(triggers->set.output, &event, triggers->worker_name);

    if (error == 0)
        error = trigger_worker_start(&triggers->worker, triggers->views.profctl,
                                     triggers->views.socket_path, triggers->directory_fd,
                                     triggers->worker_name, reach_ms);
    if (error < 0)
        return error;
    triggers->next_number++;
    triggers->worker_generation = triggers->generation;
    log_debug("starting a capture for %s", cause->name);
    return 0;
}

static void end_if_held(struct triggers *triggers)
{
    if (triggers->is_holding && !trigger_gate_is_busy(&triggers->gate) &&
        trigger_gate_waiting(&triggers->gate) == 0)
        triggers->events->on_over(triggers->exit_status, triggers->context);
}

static void on_due(uv_timer_t *timer)
{
    advance_captures(timer->data);
}

/* Begins what is due; else waits for what will be. */
static void advance_captures(struct triggers *triggers)
{
    while (trigger_gate_begin(&triggers->gate, uv_hrtime())) {
        trigger_waiters_serve(&triggers->waiters, triggers->gate.current.name);
        int error = begin_capture(triggers);
        if (error == 0)
            return;
        finish_capture(triggers, error, strerror(-error));
    }
    uint64_t due_ns = trigger_gate_due_ns(&triggers->gate), now_ns = uv_hrtime();
    if (!trigger_gate_is_busy(&triggers->gate) && due_ns != TRIGGER_NEVER)
        uv_timer_start(&triggers->timer, on_due,
                       due_ns > now_ns ? (due_ns - now_ns) / NS_PER_MS + 1 : 0, 0);
    end_if_held(triggers);
}

bool triggers_note_reaped(struct triggers *triggers, pid_t pid, int wait_status)
{
    char text[TRIGGER_WORKER_TEXT_BYTES];

    if (pid <= 0 || pid != triggers->worker.pid)
        return false;
    finish_capture(triggers, trigger_worker_finish(&triggers->worker, wait_status, text), text);
    advance_captures(triggers);
    return true;
}

/* --- What happens --- */

/* False: there is no place for it, which was told. */
static bool note_event(struct triggers *triggers, const char *name, pid_t pid, uint64_t count,
                       bool is_asked)
{
    if (trigger_gate_happened(&triggers->gate, name, pid, count, is_asked, uv_hrtime()))
        return true;
    log_warn("trigger %s ignored: too many captures are waiting", name);
    return false;
}

void triggers_happened(struct triggers *triggers, const char *name, pid_t pid, uint64_t count,
                       bool is_asked)
{
    if (note_event(triggers, name, pid, count, is_asked))
        advance_captures(triggers);
}

void triggers_ask(struct triggers *triggers, struct client *client, uint64_t id, const char *name)
{
    if (!trigger_set_has_name(&triggers->set, name)) {
        answer_now(
            triggers, client, id, -EINVAL,
            session_is_on(triggers->views.session)
                ? "the session has no trigger of that name; run 'profctl stop', and 'profctl "
                  "start --trigger name:NAME'"
                : "no session is active; start one with 'profctl start --trigger name:NAME'");
        return;
    }
    if (!note_event(triggers, name, 0, 1, true))
        answer_now(triggers, client, id, -EBUSY,
                   "too many captures are waiting to be written; try again");
    else if (trigger_waiters_add(&triggers->waiters, client, id, name) < 0)
        answer_now(triggers, client, id, -ENOMEM,
                   "profd is out of memory for the answer; the capture is written all the same");
    advance_captures(triggers);
}

/* --- What profd looks for --- */

static int write_groups(void *owner, int fd)
{
    struct triggers *triggers = owner;

    return triggers->events->write_groups(fd, triggers->context);
}

static void visit_processes(void *owner, trigger_watch_visit *visit, void *context)
{
    const struct triggers *triggers = owner;

    for (const struct child *child = triggers->views.children->first; child != NULL;
         child = child->next) {
        if (child->state != CHILD_ENDED)
            visit(child->pid, child->process_start_ns, context);
    }
}

static void on_alert(void *owner, const char *cause, const char *what, pid_t pid, uint64_t times)
{
    struct triggers *triggers = owner;

    if (triggers->is_holding || triggers->events->is_shutting_down(triggers->context))
        return;
    if (!trigger_gate_awaits(&triggers->gate, cause))
        log_info("%s: %s", cause, what);
    triggers_happened(triggers, cause, pid, times, false);
}

static const struct trigger_watch_events watch_events = { write_groups, visit_processes, on_alert };

/* --- Life cycle --- */

int triggers_init(struct triggers *triggers, uv_loop_t *loop, const struct triggers_views *views,
                  const struct triggers_events *events, void *context)
{
    int error = uv_timer_init(loop, &triggers->timer);

    if (error == 0)
        error = uv_timer_init(loop, &triggers->hold);
    if (error == 0)
        error = trigger_watch_init(&triggers->watch, loop, &watch_events, triggers);
    triggers->views = *views;
    triggers->events = events;
    triggers->context = context;
    triggers->timer.data = triggers->hold.data = triggers;
    triggers->directory_fd = -1;
    return error;
}

/* Drops everything but the worker that runs. */
static void drop_pending(struct triggers *triggers, const char *why)
{
    struct trigger_cause current = triggers->gate.current;
    size_t waiting = trigger_gate_waiting(&triggers->gate);

    if (waiting > 0)
        log_warn("dropped %zu captures that were waiting to be written: %s", waiting, why);
    answer_waiters(triggers, WAITERS_UNSERVED, -ECANCELED, why);
    trigger_files_forget(&triggers->files);
    if (triggers->directory_fd >= 0)
        close(triggers->directory_fd);
    triggers->directory_fd = -1;
    triggers->set = (struct trigger_set){ 0 };
    triggers->gate = (struct trigger_gate){ .current = current };
    trigger_watch_follow(&triggers->watch, &triggers->set);
    uv_timer_stop(&triggers->timer);
}

void triggers_start(struct triggers *triggers, const struct trigger_set *set, int directory_fd)
{
    drop_pending(triggers, "another session began");
    triggers->generation = triggers->views.session->generation;
    triggers->next_number = 1;
    triggers->written = triggers->failed = 0;
    triggers->last_file[0] = triggers->last_error[0] = '\0';
    triggers->directory_fd = directory_fd;
    if (set != NULL)
        triggers->set = *set;
    trigger_watch_follow(&triggers->watch, &triggers->set);
}

void triggers_start_always_on(struct triggers *triggers)
{
    const struct session_parts *parts = &triggers->views.session->parts;

    if (triggers->always_on.count == 0 || triggers->set.count > 0 ||
        session_parts_find(parts, &session_owner_always_on) == NULL)
        return;
    int folder_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0)
        log_error("triggers are ignored: cannot open profd's working directory: %s",
                  strerror(errno));
    else
        triggers_start(triggers, &triggers->always_on, folder_fd);
}

void triggers_stop(struct triggers *triggers)
{
    drop_pending(triggers, "the session ended");
}

void triggers_end_user_session(struct triggers *triggers)
{
    if (!triggers->set.is_always_on || !session_is_on(triggers->views.session))
        triggers_stop(triggers);
    triggers_start_always_on(triggers);
}

uint64_t triggers_last_known(const struct triggers *triggers)
{
    return triggers->next_number - 1 + trigger_gate_waiting(&triggers->gate);
}

bool triggers_are_under_way(const struct triggers *triggers, uint64_t last)
{
    uint64_t begun = triggers->next_number - 1;

    return (trigger_gate_is_busy(&triggers->gate) && begun <= last) ||
           (trigger_gate_waiting(&triggers->gate) > 0 && begun < last);
}

void triggers_hurry(struct triggers *triggers)
{
    trigger_gate_hurry(&triggers->gate);
    advance_captures(triggers);
}

static void on_hold_over(uv_timer_t *timer)
{
    struct triggers *triggers = timer->data;

    log_warn("exiting before all captures are written: waited %d s", TRIGGERS_HOLD_MS / 1000);
    triggers->events->on_over(triggers->exit_status, triggers->context);
}

void triggers_end_profd(struct triggers *triggers, int exit_status)
{
    triggers->is_holding = true;
    triggers->exit_status = exit_status;
    trigger_watch_follow(&triggers->watch, &(struct trigger_set){ 0 });
    triggers_hurry(triggers);
    if (!triggers->is_closed)
        uv_timer_start(&triggers->hold, on_hold_over, TRIGGERS_HOLD_MS, 0);
}

void triggers_close(struct triggers *triggers)
{
    triggers->is_closed = true;
    drop_pending(triggers, "profd is ending");
    answer_waiters(triggers, WAITERS_SERVED, -ESHUTDOWN, "profd is ending");
    uv_close((uv_handle_t *)&triggers->timer, NULL);
    uv_close((uv_handle_t *)&triggers->hold, NULL);
    trigger_watch_close(&triggers->watch);
    if (triggers->worker.pid > 0) {
        close(triggers->worker.output_fd);
        close(triggers->worker.status_fd);
    }
}
