/* uv_blocked: a libuv loop on a thread of its own that waits, and whose handlers block it: of a
 * timer, and of a pipe, asleep and at work. A marker lies over each. */
#include <profd_uv.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { WAIT_MS = 600 };

static int pipe_ends[2];
static uv_timer_t timer;
static uv_poll_t poll_handle;
static struct profd_uv watch;
static uint64_t wait_start;

static void sleep_for_a_while(void)
{
    const struct timespec while_ = { .tv_nsec = 600 * 1000 * 1000 };
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &while_, NULL);
}

static void on_pipe(uv_poll_t *handle, int status, int events)
{
    char byte;
    uint64_t start = PROFD_NOW();
    if (status < 0 || events != UV_READABLE || read(pipe_ends[0], &byte, 1) != 1)
        return;
    sleep_for_a_while();
    PROFD_MARKER_INTERVAL("asleep in a pipe's handler", PROFD_CATEGORY_OTHER, start, NULL);
    start = PROFD_NOW();
    burn_outer(0.6);
    PROFD_MARKER_INTERVAL("at work in a pipe's handler", PROFD_CATEGORY_OTHER, start, NULL);
    uv_close((uv_handle_t *)handle, NULL);
    profd_uv_end(&watch, NULL);
}

static void on_timer(uv_timer_t *handle)
{
    PROFD_MARKER_INTERVAL("waiting", PROFD_CATEGORY_OTHER, wait_start, NULL);
    uint64_t start = PROFD_NOW();
    sleep_for_a_while();
    PROFD_MARKER_INTERVAL("asleep in a timer's handler", PROFD_CATEGORY_OTHER, start, NULL);
    if (write(pipe_ends[1], "x", 1) != 1)
        uv_stop(handle->loop);
    uv_close((uv_handle_t *)handle, NULL);
}

static void *run_loop(void *argument)
{
    uv_loop_t loop;
    (void)argument;
    profd_register_thread("event loop");
    if (uv_loop_init(&loop) < 0 || profd_uv_begin(&watch, &loop) < 0 ||
        uv_timer_init(&loop, &timer) < 0 || uv_timer_start(&timer, on_timer, WAIT_MS, 0) < 0 ||
        uv_poll_init(&loop, &poll_handle, pipe_ends[0]) < 0 ||
        uv_poll_start(&poll_handle, UV_READABLE, on_pipe) < 0)
        return &timer;
    wait_start = PROFD_NOW();
    int left = uv_run(&loop, UV_RUN_DEFAULT);
    return left == 0 && uv_loop_close(&loop) == 0 ? NULL : &timer;
}

int main(void)
{
    pthread_t thread;
    void *result;
    if (pipe(pipe_ends) < 0 || pthread_create(&thread, NULL, run_loop, NULL) != 0 ||
        pthread_join(thread, &result) != 0)
        return 1;
    return result == NULL ? 0 : 1;
}
