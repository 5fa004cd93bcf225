#include "daemon/metrics/metrics.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/file_name.h"
#include "common/time_units.h"
#include "daemon/children/child_table.h"
#include "daemon/children/child_watch.h"
#include "daemon/log.h"
#include "daemon/metrics/metrics_page.h"
#include "daemon/metrics/metrics_server.h"
#include "ipc/listener.h"

/* --- Processes --- */

/* Not its title: those may be as many as there are processes. */
static const char *program_of(const struct child *child)
{
    return file_name_of(child->executable);
}

static void add_groups(struct metrics *metrics, const struct child *child, uint64_t now_ns)
{
    const struct group_owner owner = {
        .name = "", .pid = child->pid, .start_ns = child->start_ns, .end_ns = child->end_ns
    };
    struct group_part *part = NULL;

    if (child->arena_fd < 0 || group_part_read(child->arena_fd, &owner, &part) < 0 || part == NULL)
        return; /* an arena that cannot be read harms its own process alone */
    group_totals_add(&metrics->groups, program_of(child), part, metrics->processors, now_ns);
    free(part);
}

void metrics_note_ended(struct metrics *metrics, const struct child *child)
{
    if (!metrics->is_open)
        return;
    add_groups(metrics, child, uv_hrtime());
    if (child->verdict != VERDICT_VANISHED) {
        process_counts_add_end(&metrics->processes, program_of(child),
                               process_end_of(child->verdict, child->code));
        return;
    }
    const struct ended_process ended = {
        .pid = child->pid,
        .start_ns = child->start_ns,
        .end_ns = uv_hrtime(),
        .pidfd =
            child->watch != NULL ? fcntl(child_watch_pidfd(child->watch), F_DUPFD_CLOEXEC, 0) : -1,
    };
    process_counts_await_end(&metrics->processes, program_of(child), &ended);
}

void metrics_note_verdict(struct metrics *metrics, const struct child *child)
{
    if (metrics->is_open)
        process_counts_note_end(&metrics->processes, child->pid, child->start_ns,
                                process_end_of(child->verdict, child->code));
}

void metrics_note_told_end(struct metrics *metrics, pid_t pid, int wait_status)
{
    int code;
    enum process_verdict verdict = child_verdict_of(wait_status, &code);

    if (metrics->is_open)
        process_counts_note_end(&metrics->processes, pid, 0, process_end_of(verdict, code));
}

/* --- The page --- */

static void look_at_processes(struct metrics *metrics)
{
    uint64_t now_ns = uv_hrtime();

    process_counts_learn(&metrics->processes, now_ns);
    process_counts_begin_look(&metrics->processes);
    group_totals_begin_look(&metrics->groups);
    for (const struct child *child = metrics->children->first; child != NULL; child = child->next) {
        if (child->state == CHILD_ENDED)
            continue;
        process_counts_add_living(&metrics->processes, program_of(child));
        add_groups(metrics, child, now_ns);
    }
}

static int make_page(void *owner, char **out, size_t *bytes)
{
    struct metrics *metrics = owner;
    struct metrics_view view = {
        .version = PROFD_VERSION,
        .start_unix_ns = metrics->start_unix_ns,
        .pages_made = metrics->pages_made++,
        .groups = &metrics->groups,
        .processes = &metrics->processes,
    };

    look_at_processes(metrics);
    metrics->events->on_page(&view, metrics->context);
    return metrics_page_make(&view, out, bytes);
}

/* --- Life cycle --- */

static const struct metrics_server_events server_events = { make_page };

static void note_start(struct metrics *metrics)
{
    struct timespec now;
    long processors = sysconf(_SC_NPROCESSORS_CONF);

    clock_gettime(CLOCK_REALTIME, &now);
    metrics->start_unix_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    metrics->processors = processors > 0 ? (unsigned)processors : 1;
}

void metrics_init(struct metrics *metrics, const struct child_table *children,
                  const struct metrics_events *events, void *context)
{
    metrics->children = children;
    metrics->events = events;
    metrics->context = context;
}

int metrics_open(struct metrics *metrics, uv_loop_t *loop, const struct metrics_address *address,
                 const char *text)
{
    char failure[LISTENER_ERROR_TEXT] = "";

    metrics->is_open = true;
    metrics->listener = (struct metrics_listener){ .fd = -1 };
    note_start(metrics);
    int error = group_totals_init(&metrics->groups);
    if (error == 0)
        error = process_counts_init(&metrics->processes);
    if (error == 0)
        error = metrics_listen(address, &metrics->listener, failure, sizeof(failure));
    if (error == 0)
        error = metrics_server_create(loop, metrics->listener.fd, &server_events, metrics,
                                      &metrics->server);
    if (error < 0)
        log_error("cannot serve metrics at %s: %s", text,
                  failure[0] != '\0' ? failure : uv_strerror(error));
    else
        log_info("serving metrics at %s", text);
    return error;
}

void metrics_close(struct metrics *metrics)
{
    if (!metrics->is_open)
        return;
    metrics->is_open = false;
    if (metrics->server != NULL)
        metrics_server_close(metrics->server);
    metrics->server = NULL;
    metrics_listener_close(&metrics->listener);
    group_totals_fini(&metrics->groups);
    process_counts_fini(&metrics->processes);
}
