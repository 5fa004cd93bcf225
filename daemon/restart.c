#include "daemon/restart.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "daemon/gathering_log.h"
#include "daemon/log.h"
#include "daemon/session_file.h"

/* --- Who had a lease --- */

static bool has_ended(lease_owner owner)
{
    return !lease_owner_is_foreign(owner) && kill(lease_owner_pid(owner), 0) < 0 && errno == ESRCH;
}

struct census {
    lease_owner *owners; /* each once, in rising order after sort_owners() */
    size_t count, capacity;
};

static void note_owner(lease_owner owner, uint32_t unit, void *context)
{
    struct census *census = context;
    (void)unit;

    if (owner <= LEASE_OWNER_EXITS || census->count == census->capacity ||
        (census->count > 0 && census->owners[census->count - 1] == owner))
        return;
    census->owners[census->count++] = owner;
}

static int compare_owners(const void *a, const void *b)
{
    lease_owner left = *(const lease_owner *)a, right = *(const lease_owner *)b;
    return left < right ? -1 : left > right;
}

static void sort_owners(struct census *census)
{
    size_t kept = 0;

    qsort(census->owners, census->count, sizeof(*census->owners), compare_owners);
    for (size_t i = 0; i < census->count; i++) {
        if (kept == 0 || census->owners[kept - 1] != census->owners[i])
            census->owners[kept++] = census->owners[i];
    }
    census->count = kept;
}

/* A process that called exec left its earlier images. */
static bool has_later_image(const struct census *census, size_t at)
{
    pid_t pid = lease_owner_pid(census->owners[at]);

    for (size_t i = at; i-- > 0 && lease_owner_pid(census->owners[i]) == pid;) {
        if (lease_owner_is_later(census->owners[i], census->owners[at]))
            return true;
    }
    for (size_t i = at + 1; i < census->count && lease_owner_pid(census->owners[i]) == pid; i++) {
        if (lease_owner_is_later(census->owners[i], census->owners[at]))
            return true;
    }
    return false;
}

/* Those that live are awaited; those that have ended leave their units to others. */
static void sift(struct daemon *profd, struct census *census)
{
    struct restart *restart = &profd->restart;

    for (size_t i = 0; i < census->count; i++) {
        lease_owner owner = census->owners[i];
        if (has_ended(owner) || has_later_image(census, i)) {
            profd->session.unseen_count++;
            lease_move(&profd->memory.ledger, owner, LEASE_OWNER_NOBODY, UINT32_MAX);
        } else {
            restart->awaited[restart->awaited_count++] = owner;
            log_debug("%d is expected back", lease_owner_pid(owner));
        }
    }
}

static int find_owners(struct daemon *profd)
{
    struct lease_ledger *ledger = &profd->memory.ledger;
    size_t most = lease_ledger_recount(ledger, NULL);
    struct census census = { .owners = calloc(most + 1, sizeof(lease_owner)), .capacity = most };

    profd->restart.awaited = calloc(most + 1, sizeof(lease_owner));
    if (census.owners == NULL || profd->restart.awaited == NULL) {
        free(census.owners);
        return -ENOMEM;
    }
    lease_ledger_visit(ledger, note_owner, &census);
    sort_owners(&census);
    sift(profd, &census);
    free(census.owners);
    return 0;
}

/* --- Waiting for them --- */

static void on_patience_over(uv_timer_t *timer)
{
    struct daemon *profd = timer->data;

    if (profd->restart.awaited_count > 0)
        log_warn("%zu processes that were profiled have not come back; they are in captures once "
                 "they do",
                 profd->restart.awaited_count);
    profd->restart.awaited_count = 0;
}

void restart_note_hello(struct daemon *profd, lease_owner owner)
{
    struct restart *restart = &profd->restart;

    for (size_t i = 0; i < restart->awaited_count; i++) {
        if (restart->awaited[i] == owner) {
            restart->awaited[i] = restart->awaited[--restart->awaited_count];
            return;
        }
    }
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

static void go_on_with(struct daemon *profd, const struct session *session)
{
    profd->session = *session;
    if (!session_is_on(session))
        return;
    profd->session.restart_count++;
    memory_begin_session(profd, session->settings.memory_limit_bytes);
    requests_time_session(profd);
    await_owners(profd);
    log_info("the session goes on; %zu processes are expected back, %u ended while there was no "
             "profd",
             profd->restart.awaited_count, profd->session.unseen_count);
    restart_keep_session(profd);
}

void restart_take_over(struct daemon *profd)
{
    struct session session;
    int error = session_file_read(profd->socket_path, &session);

    if (error == 0)
        go_on_with(profd, &session);
    else if (error != -ENOENT)
        log_warn("can't go on with the session of the profd that was killed (%s); 'profctl start' "
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

    if (error < 0)
        log_warn("can't write %s." SESSION_FILE_NAME
                 " (%s): if profd is killed, the session ends with it",
                 profd->socket_path, uv_strerror(error));
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
