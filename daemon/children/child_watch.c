#include "daemon/children/child_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/children/pidfd.h"

struct child_watch {
    uv_poll_t poll;
    int pidfd;
    const struct child_watch_events *events;
    void *owner;
};

static void on_reaped(uv_poll_t *poll, int status, int events)
{
    struct child_watch *watch = poll->data;
    int wait_status;
    (void)status;
    (void)events;

    uv_poll_stop(poll);
    int known = pidfd_wait_status(watch->pidfd, &wait_status);
    watch->events->on_status(known == 0 ? &wait_status : NULL, watch->owner);
}

/* A zombie's descriptor stays readable; what is still to come is the hang-up when it is reaped. */
static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct child_watch *watch = poll->data;
    int wait_status;
    (void)status;
    (void)events;

    uv_poll_stop(poll);
    int known = pidfd_wait_status(watch->pidfd, &wait_status);
    if (known == -EAGAIN && uv_poll_start(poll, UV_DISCONNECT, on_reaped) < 0)
        known = -ENOTSUP;
    watch->events->on_ended(watch->owner);
    if (known != -EAGAIN && !uv_is_closing((uv_handle_t *)poll))
        watch->events->on_status(known == 0 ? &wait_status : NULL, watch->owner);
}

static void on_closed(uv_handle_t *handle)
{
    struct child_watch *watch = handle->data;

    close(watch->pidfd);
    free(watch);
}

int child_watch_start(uv_loop_t *loop, int pidfd, const struct child_watch_events *events,
                      void *owner, struct child_watch **out)
{
    struct child_watch *watch = calloc(1, sizeof(*watch));
    int error = -ENOMEM;

    if (watch == NULL)
        goto failed;
    watch->pidfd = pidfd;
    watch->events = events;
    watch->owner = owner;
    error = uv_poll_init(loop, &watch->poll, pidfd);
    if (error < 0)
        goto failed;
    watch->poll.data = watch;
    error = uv_poll_start(&watch->poll, UV_READABLE, on_readable);
    if (error < 0) {
        uv_close((uv_handle_t *)&watch->poll, on_closed);
        return error;
    }
    *out = watch;
    return 0;

failed:
    free(watch);
    close(pidfd);
    return error;
}

int child_watch_pidfd(const struct child_watch *watch)
{
    return watch->pidfd;
}

void child_watch_set_owner(struct child_watch *watch, void *owner)
{
    watch->owner = owner;
}

void child_watch_stop(struct child_watch *watch)
{
    if (watch != NULL && !uv_is_closing((uv_handle_t *)&watch->poll))
        uv_close((uv_handle_t *)&watch->poll, on_closed);
}
