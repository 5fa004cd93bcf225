#include "daemon/triggers/trigger_watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/process_clock.h"
#include "daemon/log.h"

enum { SHOWN_BYTES = 48 };

/* --- Groups --- */

static int take_snapshot(const struct trigger_watch *watch, struct snapshot_file *out)
{
    int fd = memfd_create("profd-groups", MFD_CLOEXEC);
    int error = fd < 0 ? -errno : watch->events->write_groups(watch->owner, fd);

    *out = (struct snapshot_file){ 0 };
    if (error == 0)
        error = snapshot_file_map(fd, out);
    if (fd >= 0)
        close(fd);
    return error;
}

static int shown_bytes(size_t bytes)
{
    return bytes < SHOWN_BYTES ? (int)bytes : SHOWN_BYTES;
}

static void note_alert(struct watched_rule *rule, const struct group_row *row, uint64_t times)
{
    const struct group_view *group = &row->group;
    struct watch_alert *alert = &rule->alert;

    if (alert->count++ == 0) {
        alert->pid = row->process->pid;
        snprintf(alert->what, sizeof(alert->what), "%.*s %.*s in %.*s (%d), %s",
                 shown_bytes(group->kind_bytes), group->kind, shown_bytes(group->name_bytes),
                 group->name, shown_bytes(row->process_name_bytes), row->process_name,
                 row->process->pid, rule->text);
    }
    alert->times += times;
}

static int judge_rows(struct watched_rule *rule, const struct group_rows *rows)
{
    int error = 0;

    for (size_t i = 0; i < rows->count && error >= 0; i++) {
        uint64_t times;
        error = group_alert_judge(&rule->alerts, &rule->rule, &rows->rows[i], rows->head.now_ns,
                                  &times);
        if (error == 1)
            note_alert(rule, &rows->rows[i], times);
    }
    group_alerts_end_look(&rule->alerts, &rule->rule, rows->head.now_ns);
    return error < 0 ? error : 0;
}

static int judge_news(struct trigger_watch *watch, const struct snapshot_file *now)
{
    struct group_rows news;
    int error = group_rows_read(now->memory, now->bytes, &news);

    if (error == 0)
        group_rows_subtract(&news, &watch->before.rows);
    for (size_t i = 0; i < watch->count && error == 0; i++) {
        if (watch->rules[i].looks_at == WATCH_GROUPS)
            error = judge_rows(&watch->rules[i], &news);
    }
    group_rows_free(&news);
    return error;
}

/* The first look is what later ones are compared with. */
static int look_at_groups(struct trigger_watch *watch)
{
    struct snapshot_file now;
    int error = take_snapshot(watch, &now);

    if (error < 0) {
        snapshot_file_close(&now);
        return error;
    }
    if (watch->before.memory != NULL)
        error = judge_news(watch, &now);
    snapshot_file_close(&watch->before);
    watch->before = now;
    return error;
}

/* --- CPU time --- */

/* A look at the processes, by one rule. */
struct cpu_look {
    struct watched_rule *rule;
    uint64_t now_ns;
};

static void look_at_process(pid_t pid, uint64_t start_ns, void *context)
{
    struct cpu_look *look = context;
    struct watch_alert *alert = &look->rule->alert;
    uint64_t cpu_ns = process_clock_ns(pid);
    bool is_too_much;

    if (cpu_ns == PROCESS_CLOCK_UNKNOWN ||
        cpu_watch_note(&look->rule->cpu, &look->rule->cpu_rule, pid, start_ns, cpu_ns, look->now_ns,
                       &is_too_much) < 0 ||
        !is_too_much)
        return;
    if (alert->count++ == 0) {
        alert->pid = pid;
        snprintf(alert->what, sizeof(alert->what), "%d, %s", pid, look->rule->text);
    }
    alert->times++;
}

static void look_at_processes(struct trigger_watch *watch, struct watched_rule *rule,
                              uint64_t now_ns)
{
    struct cpu_look look = { rule, now_ns };

    watch->events->visit_processes(watch->owner, look_at_process, &look);
    cpu_watch_end_look(&rule->cpu);
}

/* --- The watch --- */

bool trigger_watch_needs_groups(const struct trigger_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->rules[i].looks_at == WATCH_GROUPS)
            return true;
    }
    return false;
}

static void look_at_all(struct trigger_watch *watch, uint64_t now_ns)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->rules[i].looks_at == WATCH_CPU)
            look_at_processes(watch, &watch->rules[i], now_ns);
    }
    int error = trigger_watch_needs_groups(watch) ? look_at_groups(watch) : 0;
    if (error < 0 && error != watch->last_error)
        log_warn("cannot check performance groups for triggers: %s", strerror(-error));
    watch->last_error = error;
}

/* A call may end the watch, and all that it looks at. */
static void tell_alert(struct trigger_watch *watch, size_t index)
{
    struct watched_rule *rule = &watch->rules[index];
    const struct watch_alert alert = rule->alert;
    char what[WATCH_WHAT_BYTES + 64];

    if (alert.count == 0)
        return;
    rule->alert = (struct watch_alert){ 0 };
    if (alert.count == 1)
        snprintf(what, sizeof(what), "%s", alert.what);
    else
        snprintf(what, sizeof(what), "%s, and %llu more", alert.what,
                 (unsigned long long)alert.count - 1);
    watch->events->on_alert(watch->owner, rule->cause, what, alert.pid, alert.times);
}

void trigger_watch_look(struct trigger_watch *watch, uint64_t now_ns)
{
    look_at_all(watch, now_ns);
    for (size_t i = 0; i < watch->count; i++)
        tell_alert(watch, i);
}

static void on_timer(uv_timer_t *timer)
{
    trigger_watch_look(timer->data, uv_hrtime());
}

int trigger_watch_init(struct trigger_watch *watch, uv_loop_t *loop,
                       const struct trigger_watch_events *events, void *owner)
{
    *watch = (struct trigger_watch){ .events = events, .owner = owner };
    watch->timer.data = watch;
    return uv_timer_init(loop, &watch->timer);
}

static void forget_rules(struct trigger_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        group_alerts_free(&watch->rules[i].alerts);
        cpu_watch_free(&watch->rules[i].cpu);
    }
    watch->count = 0;
    snapshot_file_close(&watch->before);
}

/* False: TRIGGER is of another kind. What it says was checked when it was read. */
static bool read_rule(const struct trigger *trigger, struct watched_rule *out)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];

    *out = (struct watched_rule){ .text = trigger->rule };
    switch (trigger->kind) {
    case TRIGGER_JANK:
        out->cause = "jank";
        out->looks_at = WATCH_GROUPS;
        return trigger_alert(trigger, &out->rule, problem);
    case TRIGGER_DELAY:
        out->cause = "delay";
        out->looks_at = WATCH_GROUPS;
        return trigger_alert(trigger, &out->rule, problem);
    case TRIGGER_CPU:
        out->cause = "cpu";
        out->looks_at = WATCH_CPU;
        return trigger_cpu(trigger, &out->cpu_rule);
    default:
        return false;
    }
}

void trigger_watch_follow(struct trigger_watch *watch, const struct trigger_set *set)
{
    forget_rules(watch);
    for (size_t i = 0; i < set->count; i++)
        watch->count += read_rule(&set->triggers[i], &watch->rules[watch->count]);
    if (watch->count == 0) {
        uv_timer_stop(&watch->timer);
        return;
    }
    look_at_all(watch, uv_hrtime()); /* what later looks are compared with */
    uv_timer_start(&watch->timer, on_timer, TRIGGER_WATCH_PERIOD_MS, TRIGGER_WATCH_PERIOD_MS);
}

void trigger_watch_close(struct trigger_watch *watch)
{
    forget_rules(watch);
    uv_close((uv_handle_t *)&watch->timer, NULL);
}
