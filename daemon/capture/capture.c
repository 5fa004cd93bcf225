#include "daemon/capture/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/features.h"
#include "common/time_units.h"
#include "daemon/capture/capture_state.h"
#include "daemon/children/process_list.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/when.h"
#include "json/gecko/gecko_clock.h"

enum {
    /* Between two progress messages: smooth for the eye, nothing for the machine. */
    PROGRESS_MS = 100,
    TICKS_PER_POLL = GATHER_POLL_MS / PROGRESS_MS,
    SELECTION_TEXT_BYTES = 256,
};

static uint64_t last_gather_id;

/* --- What is kept meanwhile --- */

void capture_hold(struct capture *capture, size_t index)
{
    const struct child *child = capture->children[index];

    if (child->exit != NULL)
        exit_store_hold(&capture->profd->exits, child->exit, true);
}

void capture_release(struct capture *capture, size_t index)
{
    const struct child *child = capture->children[index];

    if (child->exit != NULL)
        exit_store_hold(&capture->profd->exits, child->exit, false);
}

/* --- The end --- */

/* Lets everything go; the capture is freed when its last handle is closed. */
static void let_go(struct capture *capture)
{
    struct daemon *profd = capture->profd;

    capture->is_over = true;
    salvage_pool_cancel(&profd->salvage);
    for (size_t i = 0; i < capture->gather.count; i++) {
        capture_release(capture, i);
        capture->children[i]->capture_index = -1;
    }
    profd->capture = NULL;
    session_move(&profd->session, SESSION_EVENT_GATHERED);
    uv_timer_stop(&capture->timer);
    capture_forget_unprofiled(capture);
    capture_assembler_close(capture->assembler);
}

static void on_timer_closed(uv_handle_t *timer)
{
    struct capture *capture = timer->data;

    gather_destroy(&capture->gather);
    gathering_log_free(&capture->log);
    free(capture->profile_places);
    free(capture->children);
    free(capture);
}

static void on_assembler_closed(void *owner)
{
    struct capture *capture = owner;
    uv_close((uv_handle_t *)&capture->timer, on_timer_closed);
}

void capture_cancel(struct daemon *profd, int error, const char *text)
{
    struct capture *capture = profd->capture;

    if (capture == NULL)
        return;
    let_go(capture);
    requests_finish(&profd->requests, error, text);
}

static void succeed(struct capture *capture)
{
    struct daemon *profd = capture->profd;
    const struct request *request = capture->request;
    char missing[GATHERING_LINE_BYTES];

    gathering_log_line(&capture->log, missing);
    struct message_capture_done done = {
        .id = request->id,
        .bytes_written = capture_assembler_bytes(capture->assembler),
        .processes = capture->processes,
        .missing = { missing, strlen(missing) },
        .profile_places = { (const char *)capture->profile_places,
                            capture->profile_place_count * sizeof(*capture->profile_places) },
    };
    log_info("captured %llu processes, %llu bytes%s%s", (unsigned long long)done.processes,
             (unsigned long long)done.bytes_written, missing[0] ? "; " : "", missing);
    if (request->client != NULL)
        when_capture_is_written(request->client, &done);
    const struct session_owner owner = request->owner;
    bool stop_after = request->stop_after;
    let_go(capture);
    if (stop_after)
        requests_add_own(&profd->requests, REQUEST_STOP, &owner);
    requests_finish(&profd->requests, 0, "");
}

/* --- The output --- */

/* So that profctl, which reads all of the capture, can tell whose profile is damaged, if one is. */
static void note_places(struct capture *capture, const struct capture_piece *piece, uint64_t end)
{
    uint64_t start = end - piece->bytes;

    for (size_t i = 0; i < piece->count; i++) {
        const struct capture_piece_item *item = &piece->items[i];
        if (capture->profile_place_count == MESSAGE_MAX_PROFILE_PLACES)
            return;
        capture->profile_places[capture->profile_place_count++] = (struct message_profile_place){
            .start = start + item->start,
            .bytes = item->end - item->start,
            .pid = (uint64_t)capture->children[item->index]->pid,
        };
    }
}

static void on_written(void *tag, uint64_t end, void *owner)
{
    struct capture *capture = owner;
    struct capture_piece *piece = tag;

    if (piece == NULL) {
        if (++capture->texts_written == CAPTURE_TEXTS)
            succeed(capture);
        return;
    }
    if (piece->on_written != NULL) {
        piece->on_written(capture, piece);
        return;
    }
    note_places(capture, piece, end);
    for (size_t i = 0; i < piece->count; i++)
        gather_note_done(&capture->gather, piece->items[i].index);
    free(piece);
    capture_advance(capture);
}

void capture_fail(struct capture *capture, int error)
{
    char text[160];

    if (capture->is_over)
        return;
    snprintf(text, sizeof(text), "cannot write the capture: %s", uv_strerror(error));
    capture_cancel(capture->profd, error, text);
}

static void on_failed(int error, void *owner)
{
    capture_fail(owner, error);
}

static const struct capture_assembler_events assembler_events = { on_written, on_failed,
                                                                  on_assembler_closed };

void capture_add_piece(struct capture *capture, struct capture_piece *piece, int fd, uint64_t bytes)
{
    /* An error was told, or comes as no memory; either ends the capture. */
    bool is_element = !capture->request->is_raw;
    int error = capture_assembler_add(capture->assembler, fd, bytes, is_element, piece);
    if (error < 0)
        capture_fail(capture, error);
}

void capture_advance(struct capture *capture)
{
    long index;

    if (capture->is_over || capture->has_tail)
        return;
    while ((index = gather_next_to_ask(&capture->gather)) >= 0)
        capture_ask(capture, (size_t)index);
    if (capture->request->is_raw)
        capture_copy(capture);
    else
        capture_salvage(capture);
    if (capture->is_over || capture->unprofiled != NULL || !gather_is_complete(&capture->gather))
        return;
    capture->has_tail = true;
    int error = capture_add_tail(capture);
    if (error < 0)
        capture_fail(capture, error);
}

void capture_note_worker_free(struct daemon *profd)
{
    if (profd->capture != NULL)
        capture_advance(profd->capture);
}

/* --- Time --- */

static void send_progress(const struct capture *capture)
{
    struct message_capture_progress message = {
        .id = capture->request->id,
        .children_total = capture->gather.count,
        .children_done = capture->gather.done,
        .bytes_written = capture_assembler_bytes(capture->assembler),
        .proportion = gather_proportion(&capture->gather),
    };

    if (capture->request->client != NULL)
        when_capture_progresses(capture->request->client, &message);
}

/* Why item INDEX is not waited for any longer when VERDICT ends the waiting; NULL: it is. Who was
 * not asked so far may still answer, unless it is stopped, and would only make the others wait
 * again. */
static const char *giving_up(const struct capture *capture, size_t index,
                             enum gather_verdict verdict)
{
    struct process_sighting sighting;

    switch (capture->gather.items[index].state) {
    case GATHER_ASKED:
        return verdict == GATHER_TIMED_OUT ? "it did not answer in time" : "it made no progress";
    case GATHER_WAITING:
        if (verdict == GATHER_TIMED_OUT)
            return "it did not answer in time";
        if (!process_sight(capture->children[index]->pid, &sighting))
            return NULL;
        return sighting.state == 'T' || sighting.state == 't' ? "it is stopped" : NULL;
    default:
        return NULL;
    }
}

static void poll_progress(struct capture *capture)
{
    uint64_t output_bytes = capture_assembler_bytes(capture->assembler);

    if (output_bytes != capture->last_output_bytes)
        gather_note_output(&capture->gather);
    capture->last_output_bytes = output_bytes;

    enum gather_verdict verdict = gather_poll(&capture->gather);
    if (verdict == GATHER_GO_ON) {
        capture_ask_for_progress(capture);
        return;
    }
    gathering_log_event(&capture->log, NULL,
                        verdict == GATHER_TIMED_OUT ? "the time is over" : "no progress anywhere",
                        "those that have not answered are read from their buffers");
    for (size_t i = 0; i < capture->gather.count; i++) {
        const char *why = giving_up(capture, i, verdict);
        if (why != NULL)
            capture_fail_item(capture, i, why);
    }
    capture_advance(capture);
}

static void on_tick(uv_timer_t *timer)
{
    struct capture *capture = timer->data;

    send_progress(capture);
    if (++capture->ticks % TICKS_PER_POLL == 0)
        poll_progress(capture);
    else
        capture_advance(capture);
}

/* --- The beginning --- */

static void describe_root(struct capture *capture)
{
    const struct daemon *profd = capture->profd;
    const struct session_settings *settings = &profd->session.settings;

    features_names(settings->features, capture->feature_names);
    capture->root = (struct gecko_root_options){
        .reference_ns = profd->session.start_ns,
        .reference_unix_ns = gecko_clock_unix_ns(profd->session.start_ns),
        .session_start_ns = capture->since_ns > profd->session.start_ns ? capture->since_ns
                                                                        : profd->session.start_ns,
        .capture_ns = capture->capture_ns,
        .interval_ns = settings->interval_ns,
        .memory_limit_bytes = settings->memory_limit_bytes,
        .pid = getpid(),
        .profd_start_ns = profd->start_ns,
        .features = capture->feature_names,
        .thread_filters = settings->thread_filters,
    };
}

/* What was recorded for others before the session that is meant began is not its affair, unless the
 * last moments are asked for. 0: everything. */
static uint64_t first_moment(const struct daemon *profd, const struct request *request)
{
    const struct session_part *part = session_part_of(&profd->session, &request->owner);

    if (request->since_ns != 0 || part == NULL || part->since_ns <= profd->session.start_ns)
        return request->since_ns;
    return part->since_ns;
}

static struct capture *create(struct daemon *profd, struct request *request)
{
    struct capture *capture = calloc(1, sizeof(*capture));
    if (capture == NULL)
        return NULL;

    int output_fd = request->output_fd;
    request->output_fd = -1;
    capture->profd = profd;
    capture->request = request;
    int error = capture_assembler_create(&profd->loop, output_fd, &assembler_events, capture,
                                         &capture->assembler);
    if (error < 0) {
        free(capture);
        return NULL;
    }
    uv_timer_init(&profd->loop, &capture->timer);
    capture->timer.data = capture;
    capture->gather_id = ++last_gather_id;
    capture->capture_ns = uv_hrtime();
    capture->since_ns = first_moment(profd, request);
    gathering_log_begin(&capture->log, profd->session.start_ns);
    restart_log(&profd->restart, &capture->log);
    return capture;
}

/* A program captures in a session of its own; whoever controls profd, in any, but ends its own
 * only. NULL, or a refusal. */
static const char *check_owner(const struct daemon *profd, const struct request *request)
{
    if (request->owner.kind != SESSION_OWNER_PROGRAM && !request->stop_after)
        return NULL;
    return session_lack(&profd->session, &request->owner);
}

void capture_begin(struct daemon *profd, struct request *request)
{
    char text[SELECTION_TEXT_BYTES];
    const char *refusal = check_owner(profd, request);

    if (refusal != NULL) {
        requests_finish(&profd->requests, -ESRCH, refusal);
        return;
    }
    if (!capture_selects_any(profd, request, text, sizeof(text))) {
        requests_finish(&profd->requests, -ESRCH, text);
        return;
    }
    if (!session_may_move(&profd->session, SESSION_EVENT_GATHER)) {
        requests_finish(&profd->requests, -EINVAL,
                        session_refusal(profd->session.state, SESSION_EVENT_GATHER));
        return;
    }
    session_move(&profd->session, SESSION_EVENT_GATHER);
    struct capture *capture = create(profd, request);
    if (capture == NULL) {
        session_move(&profd->session, SESSION_EVENT_GATHERED);
        requests_finish(&profd->requests, -ENOMEM, "cannot begin the capture: no memory");
        return;
    }

    profd->capture = capture;
    describe_root(capture);
    int error = capture_list_children(capture);
    if (error == 0)
        error = capture_add_head(capture);
    if (error == 0)
        error = capture_list_unprofiled(capture);
    if (error == 0)
        error = uv_timer_start(&capture->timer, on_tick, PROGRESS_MS, PROGRESS_MS);
    if (error < 0) {
        capture_fail(capture, error);
        return;
    }
    capture_advance(capture);
}
