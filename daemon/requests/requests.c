#include "daemon/requests/requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "daemon/children/child_table.h"
#include "daemon/log.h"
#include "daemon/outbox.h"
#include "daemon/triggers/triggers.h"
#include "ipc/messages.h"

/* What a request says to the children, and what they answer. */
static const struct {
    enum session_event event;
    enum message_kind order, answer;
} rounds[] = {
    [REQUEST_START] = { SESSION_EVENT_START, MESSAGE_ENSURE_STARTED, MESSAGE_STARTED },
    [REQUEST_STOP] = { SESSION_EVENT_STOP, MESSAGE_STOP, MESSAGE_STOPPED },
    [REQUEST_PAUSE] = { SESSION_EVENT_PAUSE, MESSAGE_PAUSE, MESSAGE_PAUSED },
    [REQUEST_RESUME] = { SESSION_EVENT_RESUME, MESSAGE_RESUME, MESSAGE_RESUMED },
    [REQUEST_PAUSE_SAMPLING] = { SESSION_EVENT_PAUSE_SAMPLING, MESSAGE_PAUSE_SAMPLING,
                                 MESSAGE_SAMPLING_PAUSED },
    [REQUEST_RESUME_SAMPLING] = { SESSION_EVENT_RESUME_SAMPLING, MESSAGE_RESUME_SAMPLING,
                                  MESSAGE_SAMPLING_RESUMED },
};

/* --- The end of a request --- */

void requests_finish(struct requests *requests, int error, const char *text)
{
    struct request *request = requests->current;

    if (request == NULL)
        return;
    if (request->client != NULL)
        requests->events->on_answer(request->client, request->id, error, text, requests->context);
    else if (error < 0)
        log_warn("%s", text);
    request_free(request);
    requests->current = NULL;
}

/* All children have done what they were told, or gave no answer in time. */
static void on_round_over(const char *silent, void *context)
{
    struct requests *requests = context;

    if (requests->session->state == SESSION_STARTING) {
        session_move(requests->session, SESSION_EVENT_STARTED);
        requests->events->on_started(requests->context);
    }
    if (silent[0] != '\0')
        log_warn("%s", silent);
    requests_finish(requests, 0, silent);
}

/* --- Acknowledgements --- */

void requests_note_acknowledged(struct requests *requests, const struct child *child,
                                unsigned message_kind, uint64_t generation)
{
    const struct request *current = requests->current;

    if (generation != requests->session->generation || current == NULL ||
        current->kind == REQUEST_CAPTURE || rounds[requests->told].answer != message_kind)
        return;
    round_count_off(&requests->round, child);
}

void requests_note_gone(struct requests *requests, const struct child *child)
{
    round_count_off(&requests->round, child);
}

/* --- Beginning a request --- */

static int send_order(struct child *child, void *context)
{
    const struct requests *requests = context;
    enum message_kind order = rounds[requests->told].order;

    if (order == MESSAGE_ENSURE_STARTED) {
        struct message_session session;
        session_describe(requests->session, &session);
        return outbox_session_for(child->protocol_minor, child->connection, order, &session);
    }
    struct message_generation generation = { requests->session->generation };
    return outbox_generation(child->connection, order, &generation);
}

static const struct round_events round_events = { send_order, on_round_over };

/* A session whose time is over keeps what it recorded, so that it can still be captured. */
static void on_duration_over(uv_timer_t *timer)
{
    struct requests *requests = timer->data;

    requests->session->end_ns = 0; /* resumed, it runs without a limit, also in another profd */
    if (requests->session->parts.count > 1) {
        log_info("the session's duration has elapsed; it continues alongside the other session "
                 "until it is captured or stopped");
        return;
    }
    log_info("the session's duration has elapsed; it is paused until it is captured or stopped");
    requests_add_own(requests, REQUEST_PAUSE, &session_owner_user);
}

void requests_time_session(struct requests *requests)
{
    uint64_t now_ns = uv_hrtime(), end_ns = requests->session->end_ns;

    if (end_ns == 0)
        return;
    uint64_t rest_ms = end_ns > now_ns ? (end_ns - now_ns) / NS_PER_MS : 0;
    uv_timer_start(&requests->duration, on_duration_over, rest_ms, 0);
}

void requests_end_time(struct requests *requests)
{
    uv_timer_stop(&requests->duration);
    requests->session->end_ns = 0;
}

/* --- Sessions begin, change and end --- */

/* The folder of its triggers, which passes to them; -1: it brings none. */
static int take_folder(struct request *request)
{
    int folder_fd = request->output_fd;

    request->output_fd = -1;
    return folder_fd;
}

/* Whether the program is there whose end would end its session. */
static int check_program(const struct requests *requests, const struct session_owner *owner,
                         const char **refusal)
{
    if (owner->kind != SESSION_OWNER_PROGRAM)
        return 0;
    const struct child *child = child_table_find_latest(requests->children, owner->pid);
    *refusal = "the program that asked for the session is not profiled";
    return child != NULL && child->state != CHILD_ENDED ? 0 : -ESRCH;
}

static int start_session(struct requests *requests, struct request *request, const char **refusal)
{
    bool is_first = !session_is_on(requests->session);
    uint64_t now_ns = uv_hrtime();
    int error = check_program(requests, &request->owner, refusal);

    if (error == 0)
        error =
            session_start(requests->session, &request->owner, &request->settings, now_ns, refusal);
    if (error < 0)
        return error;
    if (request->duration_ms > 0)
        requests->session->end_ns = now_ns + request->duration_ms * NS_PER_MS;
    if (is_first)
        requests->events->on_begin(request->triggers, take_folder(request), requests->context);
    else
        requests->events->on_joined(request->triggers,
                                    request->triggers != NULL ? take_folder(request) : -1,
                                    requests->context);
    return 0;
}

static int stop_session(struct requests *requests, const struct request *request,
                        const char **refusal)
{
    int error = session_stop(requests->session, &request->owner, refusal);

    if (error < 0)
        return error;
    if (request->owner.kind == SESSION_OWNER_USER || !session_is_on(requests->session))
        requests->events->on_extras_over(requests->context);
    if (session_is_on(requests->session))
        requests->events->on_left(requests->context);
    return 0;
}

/* Moves the session as REQUEST says. 0, or a negative errno with one line for people. */
static int move_session(struct requests *requests, struct request *request, const char **refusal)
{
    if (request->kind == REQUEST_START)
        return start_session(requests, request, refusal);
    if (request->kind == REQUEST_STOP)
        return stop_session(requests, request, refusal);
    return session_pause(requests->session, &request->owner, rounds[request->kind].event, refusal);
}

static void begin_request(struct requests *requests, struct request *request)
{
    const char *refusal;

    if (request->kind == REQUEST_CAPTURE) {
        requests->events->on_capture(request, requests->context);
        return;
    }
    int error = move_session(requests, request, &refusal);
    if (error < 0) {
        requests_finish(requests, error, refusal);
        return;
    }
    requests->events->on_move(requests->context);
    /* The session that stays has other terms. */
    bool has_left = request->kind == REQUEST_STOP && session_is_on(requests->session);
    requests->told = has_left ? REQUEST_START : request->kind;
    round_begin(&requests->round);
}

/* A capture right after a restart would miss those who are about to come back. */
static bool may_begin(const struct requests *requests, const struct request *request)
{
    return request->kind != REQUEST_CAPTURE || !requests->events->is_awaiting(requests->context);
}

/* The capture that ends the session comes after those that triggers began. */
static bool is_last_capture(const struct request *request)
{
    return request->kind == REQUEST_CAPTURE && request->stop_after;
}

/* True while LAST, a last capture, waits for captures of triggers. Not for those of what happens
 * while it waits, which may be without end. */
static bool must_wait(const struct requests *requests, struct request *last)
{
    if (last->last_trigger == 0)
        last->last_trigger = triggers_last_known(requests->triggers);
    return triggers_are_under_way(requests->triggers, last->last_trigger);
}

/* The link to the request that is next; NULL: none may begin now. Captures of triggers overtake the
 * last one, which would leave nothing for them. */
static struct request **find_next_request(struct requests *requests)
{
    struct request **link = &requests->waiting.first;

    if (*link == NULL || !may_begin(requests, *link))
        return NULL;
    if (!is_last_capture(*link) || !must_wait(requests, *link))
        return link;
    triggers_hurry(requests->triggers);
    while (*link != NULL && ((*link)->kind != REQUEST_CAPTURE || (*link)->stop_after))
        link = &(*link)->next;
    return *link != NULL ? link : NULL;
}

void requests_begin_waiting(struct requests *requests)
{
    while (requests->current == NULL) {
        struct request **link = find_next_request(requests);
        if (link == NULL)
            return;
        requests->current = request_queue_take(&requests->waiting, link);
        begin_request(requests, requests->current);
    }
}

static void on_kick(uv_prepare_t *kick)
{
    requests_begin_waiting(kick->data);
}

int requests_add(struct requests *requests, struct request *request)
{
    if (requests->waiting.count >= REQUESTS_MAX_WAITING) {
        request_free(request);
        return -EBUSY;
    }
    request_queue_append(&requests->waiting, request);
    return 0;
}

void requests_add_own(struct requests *requests, enum request_kind kind,
                      const struct session_owner *owner)
{
    struct request *request = calloc(1, sizeof(*request));

    if (request == NULL) {
        log_error("out of memory: cannot %s the session", kind == REQUEST_STOP ? "stop" : "pause");
        return;
    }
    request->kind = kind;
    request->owner = *owner;
    request->output_fd = -1;
    request_queue_append(&requests->waiting, request);
}

/* --- Sessions of others than clients --- */

static bool has_always_on_session(const struct requests *requests)
{
    return session_parts_find(&requests->session->parts, &session_owner_always_on) != NULL;
}

void requests_join_always_on(struct requests *requests)
{
    const struct session_settings *always_on_settings = &requests->always_on;

    if (always_on_settings->interval_ns == 0 || requests->is_closed ||
        has_always_on_session(requests) ||
        request_queue_has_start(&requests->waiting, &session_owner_always_on))
        return;
    struct request *request = calloc(1, sizeof(*request));
    if (request == NULL) {
        log_error("out of memory: cannot start the session that is always on");
        return;
    }
    *request = (struct request){
        .kind = REQUEST_START,
        .owner = session_owner_always_on,
        .settings = requests->always_on,
        .output_fd = -1,
    };
    request_queue_append(&requests->waiting, request);
}

void requests_note_program_gone(struct requests *requests, pid_t pid)
{
    const struct session_owner program = { SESSION_OWNER_PROGRAM, pid };

    if (session_parts_find(&requests->session->parts, &program) != NULL)
        requests_add_own(requests, REQUEST_STOP, &program);
}

/* --- A client that goes --- */

void requests_note_client_gone(struct requests *requests, struct client *client)
{
    request_queue_forget_client(&requests->waiting, client);
    if (requests->current == NULL || requests->current->client != client)
        return;
    requests->current->client = NULL;
    if (requests->current->kind == REQUEST_CAPTURE)
        requests->events->on_capture_unwanted(
            -ECANCELED, "the client that requested the capture has disconnected",
            requests->context);
}

/* --- Life cycle --- */

int requests_init(struct requests *requests, uv_loop_t *loop, const struct requests_views *views,
                  const struct requests_events *events, void *context)
{
    requests->session = views->session;
    requests->children = views->children;
    requests->triggers = views->triggers;
    requests->events = events;
    requests->context = context;
    int error = round_init(&requests->round, loop, views->children, &round_events, requests);

    if (error == 0)
        error = uv_timer_init(loop, &requests->duration);
    if (error == 0)
        error = uv_prepare_init(loop, &requests->kick);
    if (error == 0)
        error = uv_prepare_start(&requests->kick, on_kick);
    requests->duration.data = requests->kick.data = requests;
    return error;
}

void requests_close(struct requests *requests)
{
    requests->is_closed = true;
    request_queue_clear(&requests->waiting);
    requests_finish(requests, -ESHUTDOWN, "profd is shutting down");
    round_close(&requests->round);
    uv_close((uv_handle_t *)&requests->duration, NULL);
    uv_close((uv_handle_t *)&requests->kick, NULL);
}
