#include "daemon/clocks/lending.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/children/child_table.h"
#include "daemon/children/child_watch.h"
#include "daemon/clocks/lent_event.h"
#include "daemon/log.h"
#include "daemon/session.h"

/* Who leaves a signal to its program waits so long for its event to end. */
enum { LISTEN_EVERY_MS = 20 };

/* What a child has borrowed, or was refused. */
struct loan {
    struct lent_event event;
    const struct child *child; /* borrowed */
    struct loan *previous, *next;
};

/* --- Listening --- */

static void on_timer(uv_timer_t *timer)
{
    const struct lending *lending = timer->data;
    lending->events->on_listen(lending->context);
}

int lending_init(struct lending *lending, uv_loop_t *loop, const struct session *session,
                 const struct lending_events *events, void *context)
{
    int error = uv_timer_init(loop, &lending->timer);

    lending->session = session;
    lending->events = events;
    lending->context = context;
    lending->timer.data = lending;
    lending->is_open = error == 0;
    return error;
}

void lending_close(struct lending *lending)
{
    if (!lending->is_open)
        return;
    lending->is_open = false;
    uv_close((uv_handle_t *)&lending->timer, NULL);
}

static void count_change(struct lending *lending, bool was_lent, bool is_lent)
{
    if (was_lent == is_lent)
        return;
    lending->lent_count += is_lent ? 1 : -1;
    if (!lending->is_open)
        return;
    if (lending->lent_count == 0)
        uv_timer_stop(&lending->timer);
    else if (!uv_is_active((uv_handle_t *)&lending->timer))
        uv_timer_start(&lending->timer, on_timer, LISTEN_EVERY_MS, LISTEN_EVERY_MS);
}

/* --- Loans --- */

static struct loan *open_loan(struct lending *lending, const struct child *child)
{
    struct loan *loan = calloc(1, sizeof(*loan));

    if (loan == NULL)
        return NULL;
    loan->child = child;
    loan->next = lending->first;
    if (loan->next != NULL)
        loan->next->previous = loan;
    lending->first = loan;
    return loan;
}

static void end_event(struct lending *lending, struct loan *loan)
{
    bool was_lent = loan->event.is_lent;

    lent_event_take_back(&loan->event, loan->child->arena_fd);
    count_change(lending, was_lent, false);
}

static bool is_sampling_paused(const struct session *session)
{
    return session_is_paused(session) || session->is_sampling_paused;
}

static int follow_wish(struct lending *lending, struct loan *loan, const struct child *child)
{
    const struct borrower borrower = { child->pid, child_watch_pidfd(child->watch),
                                       child->arena_fd };
    bool was_lent = loan->event.is_lent;
    int error = lent_event_follow(&loan->event, &borrower);

    if (is_sampling_paused(lending->session))
        lent_event_rest(&loan->event, true);
    count_change(lending, was_lent, loan->event.is_lent);
    return error;
}

/* Somebody is there who may borrow, and can be watched for its end. */
static bool may_borrow(const struct session *session, const struct child *child)
{
    return child->agent == CHILD_IS_ALONE && child->arena_fd >= 0 && child->watch != NULL &&
           child->state != CHILD_ENDED && session_is_on(session);
}

void lending_follow(struct lending *lending, struct child *child)
{
    if (!may_borrow(lending->session, child)) {
        lending_end(lending, child);
        return;
    }
    if (child->loan == NULL)
        child->loan = open_loan(lending, child);
    int error = child->loan != NULL ? follow_wish(lending, child->loan, child) : -ENOMEM;
    if (error < 0 && error != -ESRCH)
        log_warn_of_many(child->pid, "cannot open a perf event for %d (%s): %s", child->pid,
                         child->executable, uv_strerror(error));
}

void lending_end(struct lending *lending, struct child *child)
{
    struct loan *loan = child->loan;

    if (loan == NULL)
        return;
    end_event(lending, loan);
    child->loan = NULL;
    if (loan->previous != NULL)
        loan->previous->next = loan->next;
    else
        lending->first = loan->next;
    if (loan->next != NULL)
        loan->next->previous = loan->previous;
    free(loan);
}

/* --- Sessions --- */

void lending_follow_session(struct lending *lending)
{
    bool is_paused = is_sampling_paused(lending->session);

    for (struct loan *loan = lending->first; loan != NULL; loan = loan->next)
        lent_event_rest(&loan->event, is_paused);
}

void lending_end_session(struct lending *lending)
{
    for (struct loan *loan = lending->first; loan != NULL; loan = loan->next)
        end_event(lending, loan);
}
