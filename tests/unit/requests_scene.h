/* Requests over a real loop and a child at the end of a real socket, without a daemon. */
#ifndef TESTS_UNIT_REQUESTS_SCENE_H
#define TESTS_UNIT_REQUESTS_SCENE_H

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/children/child_table.h"
#include "daemon/requests/requests.h"
#include "daemon/session.h"
#include "daemon/triggers/triggers.h"
#include "ipc/connection.h"

enum { LOOP_ENDS_MS = 20 * 1000, INTERVAL_NS = 1000 * 1000, LIMIT_BYTES = 64 << 20 };

static const struct session_owner user = { SESSION_OWNER_USER, 0 };

static uv_loop_t loop;
static uv_timer_t limit, tick; /* the latter keeps the loop going, which has no other event */
static struct session session;
static struct child_table table;
static struct triggers triggers;
static struct requests requests;
static struct child *child;      /* that is asked; NULL: there is none */
static struct connection *agent; /* its end of the connection */
static unsigned orders;          /* that came there */
static bool must_come_back;      /* processes */

static struct {
    unsigned begun, joined, left, extras, moves, started, captures, unwanted, answers;
    int last_error;
    char last_text[256];
} seen;

/* What it is told goes by its address alone. */
static struct client *some_client(void)
{
    return (struct client *)&seen;
}

static void on_answer(struct client *client, uint64_t id, int error, const char *text,
                      void *context)
{
    ck_assert_ptr_eq(context, &loop);
    ck_assert_ptr_eq(client, some_client());
    ck_assert_uint_eq(id, seen.answers + 1);
    seen.last_error = error;
    snprintf(seen.last_text, sizeof(seen.last_text), "%s", text);
    seen.answers++;
}

static void on_begin(const struct trigger_set *set, int directory_fd, void *context)
{
    (void)context;
    ck_assert_ptr_null(set);
    ck_assert_int_eq(directory_fd, -1);
    seen.begun++;
}

static void on_joined(const struct trigger_set *set, int directory_fd, void *context)
{
    (void)set, (void)directory_fd, (void)context;
    seen.joined++;
}

static void on_left(void *context)
{
    (void)context;
    seen.left++;
}

static void on_extras_over(void *context)
{
    (void)context;
    requests_end_time(&requests);
    seen.extras++;
}

static void on_move(void *context)
{
    (void)context;
    seen.moves++;
}

static void on_started(void *context)
{
    (void)context;
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
    seen.started++;
}

static void on_capture(struct request *request, void *context)
{
    (void)context;
    ck_assert_int_eq(request->kind, REQUEST_CAPTURE);
    seen.captures++;
}

static void on_capture_unwanted(int error, const char *text, void *context)
{
    (void)context;
    seen.unwanted++;
    requests_finish(&requests, error, text);
}

static bool is_awaiting(void *context)
{
    (void)context;
    return must_come_back;
}

static const struct requests_events events = {
    .on_answer = on_answer,
    .on_begin = on_begin,
    .on_joined = on_joined,
    .on_left = on_left,
    .on_extras_over = on_extras_over,
    .on_move = on_move,
    .on_started = on_started,
    .on_capture = on_capture,
    .on_capture_unwanted = on_capture_unwanted,
    .is_awaiting = is_awaiting,
};

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void on_tick(uv_timer_t *timer)
{
    ck_assert_ptr_eq(timer, &tick);
}

static void set_up(void)
{
    const struct requests_views views = { &session, &table, &triggers };

    memset(&table, 0, sizeof(table));
    memset(&triggers, 0, sizeof(triggers));
    memset(&requests, 0, sizeof(requests));
    memset(&session, 0, sizeof(session));
    memset(&seen, 0, sizeof(seen));
    child = NULL;
    agent = NULL;
    must_come_back = false;
    orders = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &tick), 0);
    ck_assert_int_eq(uv_timer_start(&tick, on_tick, 1, 1), 0);
    ck_assert_int_eq(requests_init(&requests, &loop, &views, &events, &loop), 0);
}

static void tear_down(void)
{
    requests_close(&requests);
    if (agent != NULL)
        connection_close(agent, -ECANCELED);
    if (child != NULL) {
        connection_close(child->connection, -ECANCELED);
        child_table_remove(&table, child);
    }
    uv_close((uv_handle_t *)&limit, NULL);
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static struct request *request_of(enum request_kind kind, uint64_t id)
{
    struct request *request = calloc(1, sizeof(*request));

    ck_assert_ptr_nonnull(request);
    request->kind = kind;
    request->client = some_client();
    request->id = id;
    request->owner = user;
    request->output_fd = -1;
    request->settings = (struct session_settings){ .interval_ns = INTERVAL_NS,
                                                   .memory_limit_bytes = LIMIT_BYTES,
                                                   .features = FEATURES_DEFAULT };
    return request;
}

static void add_request(enum request_kind kind, uint64_t id)
{
    ck_assert_int_eq(requests_add(&requests, request_of(kind, id)), 0);
}

static void run_until(const unsigned *count, unsigned at_least)
{
    while (*count < at_least)
        uv_run(&loop, UV_RUN_ONCE);
}

#endif
