#include "daemon/restart.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/capture/gathering_log.h"
#include "daemon/children/agents.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/memory/lease_census.h"
#include "daemon/session_file.h"
#include "daemon/when.h"

/* --- Who had a lease --- */

/* Those that live are awaited; those that have ended leave their units to others. */
static void sift(struct daemon *profd, const struct lease_census *census)
{
    struct restart *restart = &profd->restart;

    for (size_t i = 0; i < census->count; i++) {
        lease_owner owner = census->holders[i].owner;
        if (child_table_find_owner(&profd->children, owner) != NULL)
            continue; /* the keeper had its arena */
        if (lease_census_has_ended(census, i)) {
            profd->session.unseen_count++;
            lease_move(&profd->memory.ledger, owner, LEASE_OWNER_NOBODY, UINT32_MAX);
        } else {
            restart->awaited[restart->awaited_count++] = owner;
            log_debug_of(lease_owner_pid(owner), "%d is expected back", lease_owner_pid(owner));
        }
    }
}

static int find_owners(struct daemon *profd)
{
    struct lease_census census;
    int error = lease_census_take(&profd->memory.ledger, &census);

    if (error < 0)
        return error;
    profd->restart.awaited = calloc(census.count + 1, sizeof(lease_owner));
    if (profd->restart.awaited != NULL)
        sift(profd, &census);
    lease_census_free(&census);
    return profd->restart.awaited != NULL ? 0 : -ENOMEM;
}

/* --- Waiting for them --- */

/* Those who began sessions, and are not there to end them. */
static void end_sessions_of_missing(struct daemon *profd)
{
    const struct session_parts *parts = &profd->session.parts;

    for (unsigned i = 0; i < parts->count; i++) {
        const struct session_owner *owner = &parts->items[i].owner;
        if (owner->kind != SESSION_OWNER_PROGRAM)
            continue;
        const struct child *child = child_table_find_latest(&profd->children, owner->pid);
        if (child == NULL || child->state == CHILD_ENDED)
            requests_add_own(profd, REQUEST_STOP, owner);
    }
}

static void on_patience_over(uv_timer_t *timer)
{
    struct daemon *profd = timer->data;

    end_sessions_of_missing(profd);
    if (profd->restart.awaited_count > 0)
        log_warn("%zu processes that were profiled have not come back; they are in captures once "
                 "they do",
                 profd->restart.awaited_count);
    profd->restart.awaited_count = 0;
}

static size_t find_awaited(const struct restart *restart, lease_owner owner)
{
    size_t at = 0;

    while (at < restart->awaited_count && restart->awaited[at] != owner)
        at++;
    return at;
}

bool restart_is_awaited(const struct daemon *profd, lease_owner owner)
{
    return find_awaited(&profd->restart, owner) < profd->restart.awaited_count;
}

void restart_note_hello(struct daemon *profd, lease_owner owner)
{
    struct restart *restart = &profd->restart;
    size_t at = find_awaited(restart, owner);

    if (at < restart->awaited_count)
        restart->awaited[at] = restart->awaited[--restart->awaited_count];
}

bool restart_is_awaiting(const struct daemon *profd)
{
    return profd->restart.awaited_count > 0;
}

static void await_owners(struct daemon *profd)
{
    int error = find_owners(profd);

    if (error == 0)
        error = uv_timer_start(&profd->restart.patience, on_patience_over, RESTART_PATIENCE_MS, 0);
    if (error < 0) {
        log_warn("captures don't wait for those who come back: %s", uv_strerror(error));
        profd->restart.awaited_count = 0;
    }
}

/* --- The session --- */

static void stop_of(struct session *session, const struct session_owner *owner)
{
    const char *refusal;

    if (session_stop(session, owner, &refusal) < 0)
        log_warn("a session goes on: %s", refusal);
}

/* A program that ended meanwhile has no session any more. */
static void drop_ended_programs(struct session *session)
{
    for (unsigned i = session->parts.count; i > 0; i--) {
        const struct session_owner owner = session->parts.items[i - 1].owner;
        if (owner.kind == SESSION_OWNER_PROGRAM && kill(owner.pid, 0) < 0 && errno == ESRCH)
            stop_of(session, &owner);
    }
}

/* profd may have been started with another --always, or without. */
static void renew_standing(struct daemon *profd)
{
    static const struct session_owner standing = { SESSION_OWNER_PROFD, 0 };
    const struct session_part *part = session_parts_find(&profd->session.parts, &standing);

    if (part == NULL)
        return;
    if (profd->options.always_interval_ns == 0) {
        stop_of(&profd->session, &standing);
        return;
    }
    struct session_settings settings = part->settings;
    settings.interval_ns = profd->options.always_interval_ns;
    settings.memory_limit_bytes = profd->options.memory_limit_bytes;
    session_change(&profd->session, &standing, &settings);
}

static void begin_with(struct daemon *profd, const struct session *session)
{
    profd->session = *session;
    drop_ended_programs(&profd->session);
    renew_standing(profd);
    if (!session_is_on(&profd->session))
        return;
    profd->session.restart_count++;
    when_session_goes_on(profd);
}

/* What the keeper had is here. */
static void go_on(struct daemon *profd)
{
    size_t kept = profd->children.count;

    await_owners(profd);
    log_info("the session goes on; %zu processes were kept, %zu are expected back, %u ended while "
             "there was no profd",
             kept, profd->restart.awaited_count, profd->session.unseen_count);
}

void restart_take_over(struct daemon *profd)
{
    struct session session;
    int error = session_file_read(profd->socket_path, &session);

    if (error == 0)
        begin_with(profd, &session);
    agents_readmit_kept(profd);
    if (error == 0 && session_is_on(&profd->session))
        go_on(profd);
    if (error == 0)
        restart_keep_session(profd); /* also that it is over */
    else if (error != -ENOENT)
        log_warn("cannot go on with the session of the profd that was killed (%s); 'profctl start' "
                 "begins another",
                 uv_strerror(error));
}

/* Nobody could start a private profd again. */
static bool has_successor(const struct daemon *profd)
{
    return profd->options.private_fd < 0;
}

void restart_keep_session(const struct daemon *profd)
{
    int error = has_successor(profd) ? session_file_write(profd->socket_path, &profd->session) : 0;

    if (error == 0)
        return;
    log_warn("cannot write %s." SESSION_FILE_NAME
             " (%s): if profd is killed, the session ends with it",
             profd->socket_path, uv_strerror(error));
    restart_forget_session(profd); /* what stands there is not true any more */
}

void restart_forget_session(const struct daemon *profd)
{
    session_file_remove(profd->socket_path);
}

void restart_log(const struct daemon *profd, struct gathering_log *log)
{
    char detail[64];

    if (profd->session.restart_count == 0)
        return;
    snprintf(detail, sizeof(detail), "%u times", profd->session.restart_count);
    gathering_log_event(log, NULL, "profd was killed and started again", detail);
    gathering_log_gap_count(log, GAP_UNSEEN, profd->session.unseen_count);
}

/* --- Life cycle --- */

int restart_init(struct daemon *profd)
{
    int error = uv_timer_init(&profd->loop, &profd->restart.patience);

    profd->restart.patience.data = profd;
    profd->restart.is_open = error == 0;
    return error;
}

void restart_close(struct daemon *profd)
{
    struct restart *restart = &profd->restart;

    if (!restart->is_open)
        return;
    restart->is_open = false;
    restart->awaited_count = 0;
    free(restart->awaited);
    restart->awaited = NULL;
    uv_close((uv_handle_t *)&restart->patience, NULL);
}
