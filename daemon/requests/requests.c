#include "daemon/requests/requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/time_units.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/outbox.h"
#include "daemon/requests/client_connection.h"
#include "daemon/when.h"

enum { SILENT_CHILDREN_NAMED = 5, ANSWER_TEXT_BYTES = 512 };

static const struct session_owner user = { SESSION_OWNER_USER, 0 };

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

void request_free(struct request *request)
{
    if (request->output_fd >= 0)
        close(request->output_fd);
    free(request->triggers);
    free(request->selection);
    free(request);
}

/* --- The end of a request --- */

void requests_finish(struct daemon *profd, int error, const char *text)
{
    struct request *request = profd->requests.current;

    if (request == NULL)
        return;
    uv_timer_stop(&profd->requests.deadline);
    if (request->client != NULL)
        client_reply(request->client, request->id, error, text);
    else if (error < 0)
        log_warn("%s", text);
    request_free(request);
    profd->requests.current = NULL;
}

/* "no answer from PID (NAME), …" for people; empty when all answered. */
static void name_silent_children(const struct daemon *profd, char *out, size_t capacity)
{
    unsigned named = 0;
    size_t used = 0;

    out[0] = '\0';
    for (const struct child *child = profd->children.first; child != NULL; child = child->next) {
        if (!child->is_awaited)
            continue;
        if (named++ == SILENT_CHILDREN_NAMED)
            break;
        int length = snprintf(out + used, capacity - used, "%s%d (%.60s)",
                              used == 0 ? "no answer from " : ", ", child->pid, child->executable);
        if (length < 0 || (size_t)length >= capacity - used)
            return;
        used += (size_t)length;
    }
    if (profd->requests.awaited > SILENT_CHILDREN_NAMED)
        snprintf(out + used, capacity - used, " and %u more",
                 profd->requests.awaited - SILENT_CHILDREN_NAMED);
}

static void end_round(struct daemon *profd)
{
    struct request_queue *queue = &profd->requests;
    char silent[ANSWER_TEXT_BYTES];

    name_silent_children(profd, silent, sizeof(silent));
    for (struct child *child = profd->children.first; child != NULL; child = child->next)
        child->is_awaited = false;
    queue->awaited = 0;
    if (profd->session.state == SESSION_STARTING) {
        session_move(&profd->session, SESSION_EVENT_STARTED);
        restart_keep_session(&profd->restart);
    }
    if (silent[0] != '\0')
        log_warn("%s", silent);
    requests_finish(profd, 0, silent);
}

static void on_round_deadline(uv_timer_t *timer)
{
    struct daemon *profd = timer->data;
    if (profd->requests.current != NULL)
        end_round(profd);
}

/* --- Acknowledgements --- */

static void count_off(struct daemon *profd, struct child *child)
{
    if (!child->is_awaited)
        return;
    child->is_awaited = false;
    if (--profd->requests.awaited == 0)
        end_round(profd);
}

void requests_note_acknowledged(struct daemon *profd, struct child *child, unsigned message_kind,
                                uint64_t generation)
{
    const struct request *current = profd->requests.current;

    if (generation != profd->session.generation || current == NULL ||
        current->kind == REQUEST_CAPTURE || profd->requests.answer != message_kind)
        return;
    count_off(profd, child);
}

void requests_note_gone(struct daemon *profd, struct child *child)
{
    count_off(profd, child);
}

/* --- Beginning a request --- */

static int send_order(const struct daemon *profd, struct child *child, enum message_kind order)
{
    if (order == MESSAGE_ENSURE_STARTED) {
        struct message_session session;
        session_describe(&profd->session, &session);
        return outbox_session_for(child->protocol_minor, child->connection, order, &session);
    }
    struct message_generation generation = { profd->session.generation };
    return outbox_generation(child->connection, order, &generation);
}

static void begin_round(struct daemon *profd, enum request_kind kind)
{
    struct request_queue *queue = &profd->requests;
    enum message_kind order = rounds[kind].order;

    queue->answer = rounds[kind].answer;
    for (struct child *child = profd->children.first; child != NULL; child = child->next) {
        if (child->connection == NULL || send_order(profd, child, order) < 0)
            continue;
        child->is_awaited = true;
        queue->awaited++;
    }
    if (queue->awaited == 0)
        end_round(profd);
    else
        uv_timer_start(&queue->deadline, on_round_deadline, ROUND_DEADLINE_MS, 0);
}

/* A session whose time is over keeps what it recorded, so that it can still be captured. */
static void on_duration_over(uv_timer_t *timer)
{
    struct daemon *profd = timer->data;

    profd->session.end_ns = 0; /* one that is resumed goes on, also in another profd */
    if (profd->session.parts.count > 1) {
        log_info("the session's duration is over; it goes on beside the other one until it is "
                 "captured or stopped");
        return;
    }
    log_info("the session's duration is over; it pauses until it is captured or stopped");
    requests_add_own(profd, REQUEST_PAUSE, &user);
}

void requests_time_session(struct daemon *profd)
{
    uint64_t now_ns = uv_hrtime(), end_ns = profd->session.end_ns;

    if (end_ns == 0)
        return;
    uint64_t rest_ms = end_ns > now_ns ? (end_ns - now_ns) / NS_PER_MS : 0;
    uv_timer_start(&profd->requests.duration, on_duration_over, rest_ms, 0);
}

void requests_end_time(struct daemon *profd)
{
    uv_timer_stop(&profd->requests.duration);
    profd->session.end_ns = 0;
}

/* --- Sessions begin, change and end --- */

/* The folder of its triggers is theirs from here on; -1: it brings none. */
static int take_folder(struct request *request)
{
    int folder_fd = request->output_fd;

    request->output_fd = -1;
    return folder_fd;
}

/* Whether the program is there whose end would end its session. */
static int check_program(const struct daemon *profd, const struct session_owner *owner,
                         const char **refusal)
{
    if (owner->kind != SESSION_OWNER_PROGRAM)
        return 0;
    const struct child *child = child_table_find_latest(&profd->children, owner->pid);
    *refusal = "the program that asked for the session is not profiled";
    return child != NULL && child->state != CHILD_ENDED ? 0 : -ESRCH;
}

static int start_session(struct daemon *profd, struct request *request, const char **refusal)
{
    bool is_first = !session_is_on(&profd->session);
    uint64_t now_ns = uv_hrtime();
    int error = check_program(profd, &request->owner, refusal);

    if (error == 0)
        error =
            session_start(&profd->session, &request->owner, &request->settings, now_ns, refusal);
    if (error < 0)
        return error;
    if (request->duration_ms > 0)
        profd->session.end_ns = now_ns + request->duration_ms * NS_PER_MS;
    if (is_first)
        when_session_begins(profd, request->triggers, take_folder(request));
    else
        when_session_is_joined(profd, request->triggers,
                               request->triggers != NULL ? take_folder(request) : -1);
    return 0;
}

static int stop_session(struct daemon *profd, const struct request *request, const char **refusal)
{
    int error = session_stop(&profd->session, &request->owner, refusal);

    if (error < 0)
        return error;
    if (request->owner.kind == SESSION_OWNER_USER || !session_is_on(&profd->session))
        when_extras_end(profd);
    if (session_is_on(&profd->session))
        when_session_is_left(profd);
    return 0;
}

/* Moves the session as REQUEST says. 0, or a negative errno with one line for people. */
static int move_session(struct daemon *profd, struct request *request, const char **refusal)
{
    if (request->kind == REQUEST_START)
        return start_session(profd, request, refusal);
    if (request->kind == REQUEST_STOP)
        return stop_session(profd, request, refusal);
    return session_pause(&profd->session, &request->owner, rounds[request->kind].event, refusal);
}

static void begin_request(struct daemon *profd, struct request *request)
{
    const char *refusal;

    if (request->kind == REQUEST_CAPTURE) {
        when_capture_is_asked_for(profd, request);
        return;
    }
    int error = move_session(profd, request, &refusal);
    if (error < 0) {
        requests_finish(profd, error, refusal);
        return;
    }
    when_session_moves(profd);
    /* What goes on does so on other terms. */
    bool has_left = request->kind == REQUEST_STOP && session_is_on(&profd->session);
    begin_round(profd, has_left ? REQUEST_START : request->kind);
}

/* A capture right after a restart would miss those who are about to come back. */
static bool may_begin(const struct daemon *profd, const struct request *request)
{
    return request->kind != REQUEST_CAPTURE || !restart_is_awaiting(&profd->restart);
}

/* The capture that ends the session comes after those that triggers began. */
static bool is_last_capture(const struct request *request)
{
    return request->kind == REQUEST_CAPTURE && request->stop_after;
}

/* True while LAST, a last capture, waits for captures of triggers. Not for those of what happens
 * while it waits, which may be without end. */
static bool must_wait(const struct daemon *profd, struct request *last)
{
    if (last->last_trigger == 0)
        last->last_trigger = triggers_last_known(&profd->triggers);
    return triggers_are_under_way(&profd->triggers, last->last_trigger);
}

/* The link to the request that is next; NULL: none may begin now. Captures of triggers overtake the
 * last one, which would leave nothing for them. */
static struct request **find_next(struct daemon *profd)
{
    struct request **link = &profd->requests.first;

    if (*link == NULL || !may_begin(profd, *link))
        return NULL;
    if (!is_last_capture(*link) || !must_wait(profd, *link))
        return link;
    triggers_hurry(&profd->triggers);
    while (*link != NULL && ((*link)->kind != REQUEST_CAPTURE || (*link)->stop_after))
        link = &(*link)->next;
    return *link != NULL ? link : NULL;
}

static struct request *take(struct request_queue *queue, struct request **link)
{
    struct request *request = *link;

    *link = request->next;
    queue->waiting--;
    queue->last = queue->first;
    while (queue->last != NULL && queue->last->next != NULL)
        queue->last = queue->last->next;
    return request;
}

static void on_kick(uv_prepare_t *kick)
{
    struct daemon *profd = kick->data;
    struct request_queue *queue = &profd->requests;

    while (queue->current == NULL) {
        struct request **link = find_next(profd);
        if (link == NULL)
            return;
        queue->current = take(queue, link);
        begin_request(profd, queue->current);
    }
}

static void append(struct request_queue *queue, struct request *request)
{
    request->next = NULL;
    if (queue->last != NULL)
        queue->last->next = request;
    else
        queue->first = request;
    queue->last = request;
    queue->waiting++;
}

int requests_add(struct daemon *profd, struct request *request)
{
    if (profd->requests.waiting >= REQUESTS_MAX_WAITING) {
        request_free(request);
        return -EBUSY;
    }
    append(&profd->requests, request);
    return 0;
}

void requests_add_own(struct daemon *profd, enum request_kind kind,
                      const struct session_owner *owner)
{
    struct request *request = calloc(1, sizeof(*request));

    if (request == NULL) {
        log_error("cannot %s the session: no memory", kind == REQUEST_STOP ? "stop" : "pause");
        return;
    }
    request->kind = kind;
    request->owner = *owner;
    request->output_fd = -1;
    append(&profd->requests, request);
}

/* --- Sessions of others than clients --- */

static const struct session_owner standing = { SESSION_OWNER_PROFD, 0 };

static bool has_standing(const struct daemon *profd)
{
    return session_parts_find(&profd->session.parts, &standing) != NULL;
}

static bool is_standing_awaited(const struct request_queue *queue)
{
    for (const struct request *each = queue->first; each != NULL; each = each->next) {
        if (each->kind == REQUEST_START && session_owner_is(&each->owner, &standing))
            return true;
    }
    return false;
}

void requests_ensure_standing(struct daemon *profd)
{
    const struct options *options = &profd->options;

    if (options->always_interval_ns == 0 || profd->is_ending || has_standing(profd) ||
        is_standing_awaited(&profd->requests))
        return;
    struct request *request = calloc(1, sizeof(*request));
    if (request == NULL) {
        log_error("cannot begin the session that is always on: no memory");
        return;
    }
    *request = (struct request){
        .kind = REQUEST_START,
        .owner = standing,
        .settings = { .interval_ns = options->always_interval_ns,
                      .memory_limit_bytes = options->memory_limit_bytes,
                      .features = FEATURES_DEFAULT },
        .output_fd = -1,
    };
    append(&profd->requests, request);
}

void requests_note_program_gone(struct daemon *profd, pid_t pid)
{
    const struct session_owner program = { SESSION_OWNER_PROGRAM, pid };

    if (session_parts_find(&profd->session.parts, &program) != NULL)
        requests_add_own(profd, REQUEST_STOP, &program);
}

/* --- A client that goes --- */

void requests_note_client_gone(struct daemon *profd, struct client *client)
{
    struct request_queue *queue = &profd->requests;
    struct request **link = &queue->first;

    queue->last = NULL;
    while (*link != NULL) {
        struct request *request = *link;
        if (request->client == client && request->kind == REQUEST_CAPTURE) {
            *link = request->next;
            queue->waiting--;
            request_free(request);
            continue;
        }
        if (request->client == client)
            request->client = NULL;
        queue->last = request;
        link = &request->next;
    }
    if (queue->current == NULL || queue->current->client != client)
        return;
    queue->current->client = NULL;
    if (queue->current->kind == REQUEST_CAPTURE)
        when_capture_is_unwanted(profd, -ECANCELED,
                                 "the client that asked for the capture has gone");
}

/* --- Life cycle --- */

int requests_init(struct daemon *profd)
{
    struct request_queue *queue = &profd->requests;
    int error = uv_timer_init(&profd->loop, &queue->deadline);

    if (error == 0)
        error = uv_timer_init(&profd->loop, &queue->duration);
    if (error == 0)
        error = uv_prepare_init(&profd->loop, &queue->kick);
    if (error == 0)
        error = uv_prepare_start(&queue->kick, on_kick);
    queue->deadline.data = queue->duration.data = queue->kick.data = profd;
    return error;
}

void requests_close(struct daemon *profd)
{
    struct request_queue *queue = &profd->requests;

    while (queue->first != NULL) {
        struct request *request = queue->first;
        queue->first = request->next;
        request_free(request);
    }
    queue->last = NULL;
    requests_finish(profd, -ESHUTDOWN, "profd is ending");
    uv_close((uv_handle_t *)&queue->deadline, NULL);
    uv_close((uv_handle_t *)&queue->duration, NULL);
    uv_close((uv_handle_t *)&queue->kick, NULL);
}
