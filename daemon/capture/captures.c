#include "daemon/capture/captures.h"

#include <errno.h>
#include <unistd.h>

#include "daemon/capture/capture_state.h"

enum { SELECTION_TEXT_BYTES = 256 };

/* Answers an ORDER of which nothing was begun. */
static void refuse_order(const struct captures *captures, const struct capture_order *order,
                         int error, const char *text)
{
    close(order->output_fd);
    captures->events->on_finished(error, text, captures->context);
}

/* A program captures in a session of its own. A user captures in any, but ends only their own.
 * NULL, or a refusal. */
static const char *check_owner(const struct captures *captures, const struct capture_order *order)
{
    if (order->owner.kind != SESSION_OWNER_PROGRAM && !order->stop_after)
        return NULL;
    return session_missing_reason(captures->views.session, &order->owner);
}

void captures_begin(struct captures *captures, const struct capture_order *order)
{
    char text[SELECTION_TEXT_BYTES];
    struct session *session = captures->views.session;
    const char *refusal = check_owner(captures, order);

    if (refusal != NULL) {
        refuse_order(captures, order, -ESRCH, refusal);
        return;
    }
    if (!capture_selects_any(captures, order, text, sizeof(text))) {
        refuse_order(captures, order, -ESRCH, text);
        return;
    }
    if (!session_may_move(session, SESSION_EVENT_GATHER)) {
        refuse_order(captures, order, -EINVAL,
                     session_refusal_text(session->state, SESSION_EVENT_GATHER));
        return;
    }
    session_move(session, SESSION_EVENT_GATHER);
    captures->current = capture_create(captures, order);
    if (captures->current == NULL) {
        session_move(session, SESSION_EVENT_GATHERED);
        captures->events->on_finished(-ENOMEM, "out of memory: cannot begin the capture",
                                      captures->context);
        return;
    }
    capture_start(captures->current);
}

void captures_cancel(struct captures *captures, int error, const char *text)
{
    if (captures->current != NULL)
        capture_end(captures->current, error, text);
}

bool captures_note_reaped(struct captures *captures, pid_t pid, int wait_status)
{
    if (!salvage_pool_note_reaped(&captures->salvage, pid, wait_status))
        return false;
    if (captures->current != NULL) /* there is room for another worker */
        capture_advance(captures->current);
    return true;
}

void captures_init(struct captures *captures, uv_loop_t *loop, const struct captures_views *views,
                   const struct captures_events *events, void *context)
{
    *captures =
        (struct captures){ .loop = loop, .views = *views, .events = events, .context = context };
    salvage_pool_init(&captures->salvage, views->salvage);
}

void captures_close(struct captures *captures)
{
    captures_cancel(captures, -ESHUTDOWN, "profd is ending");
    salvage_pool_cancel(&captures->salvage);
}
