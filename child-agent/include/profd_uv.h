/* profd_uv.h: event delay of libuv loops, for <uv.h> from 1.39 on. Header only.
 *
 *     struct profd_uv watch;
 *     profd_uv_begin(&watch, loop);    // on the thread that runs the loop
 *     uv_run(loop, UV_RUN_DEFAULT);
 *     profd_uv_end(&watch, NULL);
 *     uv_run(loop, UV_RUN_DEFAULT);    // as after any uv_close()
 *
 * libuv calls handlers of sockets from inside the function that waits, so profd uses libuv's own
 * idle time, which profd_uv_begin() makes it measure (UV_METRICS_IDLE_TIME).
 *
 * libuv's header needs POSIX names that -std=c11 hides: compile with -std=gnu11 or -D_GNU_SOURCE.
 */
#ifndef PROFD_UV_H
#define PROFD_UV_H

#include <profd.h>
#include <uv.h>

#if defined(UV_VERSION_HEX) && UV_VERSION_HEX < 0x012700
#error "profd_uv.h needs libuv 1.39 or later"
#endif

/* Must remain valid until the callback of profd_uv_end(). */
struct profd_uv {
    uv_prepare_t prepare;
};

/* --- Details --- */

#ifndef PROFD_DISABLED

static inline uint64_t profd_uv_idle_ns_(void *loop)
{
    return uv_metrics_idle_time((uv_loop_t *)loop);
}

static inline void profd_uv_on_prepare_(uv_prepare_t *prepare)
{
    (void)prepare;
    profd_event_loop_turn();
}

#endif

/* --- API --- */

/* Watches LOOP, which the calling thread runs, without keeping it alive. Returns 0 or an error of
 * libuv. */
static inline int profd_uv_begin(struct profd_uv *watch, uv_loop_t *loop)
{
#ifdef PROFD_DISABLED
    return uv_prepare_init(loop, &watch->prepare); /* for profd_uv_end() to close */
#else
    int error = uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
    if (error == 0)
        error = uv_prepare_init(loop, &watch->prepare);
    if (error == 0)
        error = uv_prepare_start(&watch->prepare, profd_uv_on_prepare_);
    if (error < 0)
        return error;
    uv_unref((uv_handle_t *)&watch->prepare);
    profd_event_loop_begin(profd_uv_idle_ns_, loop);
    profd_event_loop_turn();
    return 0;
#endif
}

/* Stops watching, on the same thread, before the loop is closed. CLOSED (or NULL) is called with
 * the handle once the memory of WATCH may be freed. */
static inline void profd_uv_end(struct profd_uv *watch, uv_close_cb closed)
{
    profd_event_loop_end();
    uv_close((uv_handle_t *)&watch->prepare, closed);
}

#endif
