#include "daemon/clocks/lending.h"

#include <errno.h>

#include "daemon/children/child_watch.h"
#include "daemon/daemon.h"
#include "daemon/log.h"

/* Who leaves a signal to its program waits so long for its event to end. */
enum { LISTEN_EVERY_MS = 20 };

int lending_init(struct daemon *profd)
{
    int error = uv_timer_init(&profd->loop, &profd->lending.timer);

    profd->lending.timer.data = profd;
    profd->lending.is_open = error == 0;
    return error;
}

void lending_close(struct daemon *profd)
{
    if (!profd->lending.is_open)
        return;
    profd->lending.is_open = false;
    uv_close((uv_handle_t *)&profd->lending.timer, NULL);
}

static void on_timer(uv_timer_t *timer)
{
    census_read(timer->data);
}

static void count_change(struct child *child, bool was_lent)
{
    struct lending *lending = &child->profd->lending;

    if (was_lent == child->event.is_lent || !lending->is_open)
        return;
    lending->lent_count += child->event.is_lent ? 1 : -1;
    if (lending->lent_count == 0)
        uv_timer_stop(&lending->timer);
    else if (!uv_is_active((uv_handle_t *)&lending->timer))
        uv_timer_start(&lending->timer, on_timer, LISTEN_EVERY_MS, LISTEN_EVERY_MS);
}

static bool is_sampling_paused(const struct session *session)
{
    return session_is_paused(session) || session->is_sampling_paused;
}

void lending_follow(struct child *child)
{
    bool was_lent = child->event.is_lent;

    if (!child->is_alone || child->arena_fd < 0 || child->watch == NULL ||
        child->state == CHILD_ENDED || !session_is_on(&child->profd->session)) {
        lending_end(child);
        return;
    }
    const struct borrower borrower = { child->pid, child_watch_pidfd(child->watch),
                                       child->arena_fd };
    int error = lent_event_follow(&child->event, &borrower);
    if (error < 0 && error != -ESRCH)
        log_warn_of_many(child->pid, "%d (%s) has no perf event: %s", child->pid, child->executable,
                         uv_strerror(error));
    if (is_sampling_paused(&child->profd->session))
        lent_event_rest(&child->event, true);
    count_change(child, was_lent);
}

void lending_end(struct child *child)
{
    bool was_lent = child->event.is_lent;

    lent_event_end(&child->event);
    count_change(child, was_lent);
}

void lending_follow_session(struct daemon *profd)
{
    bool is_paused = is_sampling_paused(&profd->session);

    for (struct child *child = profd->children.first; child != NULL; child = child->next)
        lent_event_rest(&child->event, is_paused);
}

void lending_end_session(struct daemon *profd)
{
    for (struct child *child = profd->children.first; child != NULL; child = child->next)
        lending_end(child);
}
