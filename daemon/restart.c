#include "daemon/restart.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/capture/gathering_log.h"
#include "daemon/children/child_table.h"
#include "daemon/log.h"
#include "daemon/memory/lease_census.h"
#include "daemon/session.h"
#include "daemon/session_file.h"

/* --- Who had a lease --- */

/* Those that live are awaited; those that have ended leave their units to others. */
static void sift_owners(struct restart *restart, const struct lease_census *census)
{
    const struct restart_views *views = &restart->views;

    for (size_t i = 0; i < census->count; i++) {
        lease_owner owner = census->holders[i].owner;
        if (child_table_find_owner(views->children, owner) != NULL)
            continue; /* the keeper had its arena */
        if (lease_census_has_ended(census, i)) {
            views->session->unseen_count++;
            lease_move(views->ledger, owner, LEASE_OWNER_NOBODY, UINT32_MAX);
        } else {
            restart->awaited[restart->awaited_count++] = owner;
            log_debug_of(lease_owner_pid(owner), "expecting %d to reconnect",
                         lease_owner_pid(owner));
        }
    }
}

static int find_owners(struct restart *restart)
{
    struct lease_census census;
    int error = lease_census_take(restart->views.ledger, &census);

    if (error < 0)
        return error;
    restart->awaited = calloc(census.count + 1, sizeof(lease_owner));
    if (restart->awaited != NULL)
        sift_owners(restart, &census);
    lease_census_free(&census);
    return restart->awaited != NULL ? 0 : -ENOMEM;
}

/* --- Waiting for them --- */

/* Those who began sessions, and are not there to end them. */
static void end_sessions_of_missing(const struct restart *restart)
{
    const struct session_parts *parts = &restart->views.session->parts;

    for (unsigned i = 0; i < parts->count; i++) {
        const struct session_owner *owner = &parts->items[i].owner;
        if (owner->kind != SESSION_OWNER_PROGRAM)
            continue;
        const struct child *child = child_table_find_latest(restart->views.children, owner->pid);
        if (child == NULL || child->state == CHILD_ENDED)
            restart->events->on_missing(owner, restart->context);
    }
}

static void on_patience_over(uv_timer_t *timer)
{
    struct restart *restart = timer->data;

    end_sessions_of_missing(restart);
    if (restart->awaited_count > 0)
        log_warn(
            "%zu profiled processes have not reconnected; captures will lack them until they do",
            restart->awaited_count);
    restart->awaited_count = 0;
}

static size_t find_awaited_owner(const struct restart *restart, lease_owner owner)
{
    size_t at = 0;

    while (at < restart->awaited_count && restart->awaited[at] != owner)
        at++;
    return at;
}

bool restart_is_awaited(const struct restart *restart, lease_owner owner)
{
    return find_awaited_owner(restart, owner) < restart->awaited_count;
}

void restart_note_hello(struct restart *restart, lease_owner owner)
{
    size_t at = find_awaited_owner(restart, owner);

    if (at < restart->awaited_count)
        restart->awaited[at] = restart->awaited[--restart->awaited_count];
}

bool restart_is_awaiting(const struct restart *restart)
{
    return restart->awaited_count > 0;
}

static void await_owners(struct restart *restart)
{
    int error = find_owners(restart);

    if (error == 0)
        error = uv_timer_start(&restart->patience, on_patience_over, RESTART_PATIENCE_MS, 0);
    if (error < 0) {
        log_warn("captures will not wait for processes to reconnect: %s", uv_strerror(error));
        restart->awaited_count = 0;
    }
}

/* --- The session --- */

static void stop_of(struct session *session, const struct session_owner *owner)
{
    const char *refusal;

    if (session_stop(session, owner, &refusal) < 0)
        log_warn("resuming a session: %s", refusal);
}

/* The session of a program that has ended meanwhile is over. */
static void drop_ended_programs(struct session *session)
{
    for (unsigned i = session->parts.count; i > 0; i--) {
        const struct session_owner owner = session->parts.items[i - 1].owner;
        if (owner.kind == SESSION_OWNER_PROGRAM && kill(owner.pid, 0) < 0 && errno == ESRCH)
            stop_of(session, &owner);
    }
}

/* profd may have been started with another --always, or without. */
static void renew_always_on_session(struct session *session,
                                    const struct restart_always_on *always_on)
{
    const struct session_owner *owner = &session_owner_always_on;
    const struct session_part *part = session_parts_find(&session->parts, owner);

    if (part == NULL)
        return;
    if (always_on->interval_ns == 0) {
        stop_of(session, owner);
        return;
    }
    struct session_settings settings = part->settings;
    settings.interval_ns = always_on->interval_ns;
    settings.memory_limit_bytes = always_on->limit_bytes;
    settings.features = always_on->features;
    session_change(session, owner, &settings);
}

static void begin_session(struct restart *restart, const struct session *kept,
                          const struct restart_always_on *always_on)
{
    struct session *session = restart->views.session;

    *session = *kept;
    drop_ended_programs(session);
    renew_always_on_session(session, always_on);
    if (!session_is_on(session))
        return;
    session->restart_count++;
    restart->events->on_session(restart->context);
}

size_t restart_count_kept(const struct restart *restart)
{
    size_t count = restart->views.children->count;

    for (size_t i = 0; i < restart->awaited_count; i++) {
        pid_t pid = lease_owner_pid(restart->awaited[i]);
        if (child_table_find_latest(restart->views.children, pid) != NULL)
            count--; /* known from its first words only: its arena did not come */
    }
    return count;
}

/* What the keeper had is here. */
static void resume_session(struct restart *restart)
{
    await_owners(restart);
    log_info("resuming the session: %zu processes kept, %zu expected to reconnect, %u ended while "
             "profd was not running",
             restart_count_kept(restart), restart->awaited_count,
             restart->views.session->unseen_count);
}

static void tell_unreadable(const struct restart *restart, int error)
{
    log_warn("cannot resume the session of the previous profd (%s." SESSION_FILE_NAME
             ": %s); start a new one with 'profctl start'",
             restart->views.socket_path, error == -EPROTO ? "damaged" : uv_strerror(error));
}

void restart_take_over(struct restart *restart, const struct restart_always_on *always_on)
{
    struct session session;
    int error = session_file_read(restart->views.socket_path, &session);

    if (error == 0)
        begin_session(restart, &session, always_on);
    restart->events->on_return(restart->context);
    if (error == 0 && session_is_on(restart->views.session))
        resume_session(restart);
    if (error < 0 && error != -ENOENT)
        tell_unreadable(restart, error);
    restart_keep_session(restart); /* also that there is none, or none that can be read */
}

/* What became of the ledger, of which SOCKET.leases is the name. */
static const char *explain_past(enum ledger_past past)
{
    switch (past) {
    case LEDGER_PAST_NONE:
        return LEDGER_FILE_SUFFIX " is missing";
    case LEDGER_PAST_DAMAGED:
        return LEDGER_FILE_SUFFIX " is damaged, or of another version of profd";
    case LEDGER_PAST_ELSEWHERE:
        return LEDGER_FILE_SUFFIX " is from before a reboot, or from another pid namespace";
    case LEDGER_PAST_OVER:
        return LEDGER_FILE_SUFFIX " says that no profd was started in time";
    case LEDGER_PAST_LOST:
        return LEDGER_FILE_SUFFIX " is of a profd-keeper that has ended, too";
    case LEDGER_PAST_ADOPTED:
        break;
    }
    return "";
}

void restart_give_up(const struct restart *restart, enum ledger_past past)
{
    struct session session;
    const char *socket_path = restart->views.socket_path;
    int error = session_file_read(socket_path, &session);

    if (error == 0 && session_is_on(&session))
        log_warn("cannot resume the session of the previous profd (%s%s): its files are removed "
                 "and its recordings lost; start a new one with 'profctl start'",
                 socket_path, explain_past(past));
    else if (error < 0 && error != -ENOENT)
        tell_unreadable(restart, error);
    restart_forget_session(restart);
}

void restart_keep_session(const struct restart *restart)
{
    const struct restart_views *views = &restart->views;
    int error = views->has_successor ? session_file_write(views->socket_path, views->session) : 0;

    if (error == 0)
        return;
    log_warn("cannot write %s." SESSION_FILE_NAME
             " (%s): if profd is killed, the session ends with it",
             views->socket_path, uv_strerror(error));
    restart_forget_session(restart); /* what it says is out of date */
}

void restart_forget_session(const struct restart *restart)
{
    session_file_remove(restart->views.socket_path);
}

void restart_log(const struct restart *restart, struct gathering_log *log)
{
    const struct session *session = restart->views.session;
    char detail[64];

    if (session->restart_count == 0)
        return;
    snprintf(detail, sizeof(detail), "%u times", session->restart_count);
    gathering_log_event(log, NULL, "profd was started again", detail);
    gathering_log_gap_count(log, GAP_UNSEEN, session->unseen_count);
}

/* --- Life cycle --- */

int restart_init(struct restart *restart, uv_loop_t *loop, const struct restart_views *views,
                 const struct restart_events *events, void *context)
{
    int error = uv_timer_init(loop, &restart->patience);

    restart->views = *views;
    restart->events = events;
    restart->context = context;
    restart->patience.data = restart;
    restart->is_open = error == 0;
    return error;
}

void restart_close(struct restart *restart)
{
    if (!restart->is_open)
        return;
    restart->is_open = false;
    restart->awaited_count = 0;
    free(restart->awaited);
    restart->awaited = NULL;
    uv_close((uv_handle_t *)&restart->patience, NULL);
}
