/* One capture, from its beginning to its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/features.h"
#include "common/time_units.h"
#include "daemon/capture/capture_state.h"
#include "daemon/children/process_list.h"
#include "daemon/log.h"
#include "daemon/memory/exit_store.h"
#include "json/gecko/gecko_clock.h"

enum {
    /* Between two progress messages: smooth for the eye, nothing for the machine. */
    PROGRESS_MS = 100,
    TICKS_PER_POLL = GATHER_POLL_MS / PROGRESS_MS,
};

/* --- What is kept meanwhile --- */

void capture_reference(struct capture *capture, size_t index)
{
    const struct child *child = capture->items[index].child;

    if (child->exit != NULL)
        exit_store_hold(capture->views->exits, child->exit, true);
}

void capture_release(struct capture *capture, size_t index)
{
    const struct child *child = capture->items[index].child;

    if (child->exit != NULL)
        exit_store_hold(capture->views->exits, child->exit, false);
}

/* --- The end --- */

/* Lets everything go; the capture is freed by the loop, when its last handle is closed. */
static void let_go(struct capture *capture)
{
    struct captures *captures = capture->captures;

    capture->is_over = true;
    salvage_pool_cancel(&captures->salvage);
    for (size_t i = 0; i < capture->gather.count; i++)
        capture_release(capture, i);
    captures->current = NULL;
    session_move(captures->views.session, SESSION_EVENT_GATHERED);
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
    free(capture->entries);
    free(capture->items);
    free(capture);
}

static void on_assembler_closed(void *owner)
{
    struct capture *capture = owner;
    uv_close((uv_handle_t *)&capture->timer, on_timer_closed);
}

void capture_end(struct capture *capture, int error, const char *text)
{
    struct captures *captures = capture->captures;

    let_go(capture);
    captures->events->on_finished(error, text, captures->context);
}

static void report_success(struct capture *capture)
{
    struct captures *captures = capture->captures;
    char missing[GATHERING_LINE_BYTES];

    gathering_log_line(&capture->log, missing);
    struct message_capture_done done = {
        .id = capture->order.id,
        .bytes_written = capture_assembler_bytes(capture->assembler),
        .processes = capture->processes,
        .missing = { missing, strlen(missing) },
        .profile_places = { (const char *)capture->profile_places,
                            capture->profile_place_count * sizeof(*capture->profile_places) },
    };
    log_info("captured %llu processes, %llu bytes%s%s", (unsigned long long)done.processes,
             (unsigned long long)done.bytes_written, missing[0] ? "; " : "", missing);
    captures->events->on_written(&done, captures->context);
    let_go(capture);
    if (capture->order.stop_after)
        captures->events->on_stop(&capture->order.owner, captures->context);
    captures->events->on_finished(0, "", captures->context);
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
            .pid = (uint64_t)capture->items[item->index].child->pid,
        };
    }
}

static void on_written(void *tag, uint64_t end, void *owner)
{
    struct capture *capture = owner;
    struct capture_piece *piece = tag;

    if (piece == NULL) {
        if (++capture->texts_written == CAPTURE_TEXTS)
            report_success(capture);
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
    capture_end(capture, error, text);
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
    bool is_element = !capture->order.is_raw;
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
    if (capture->order.is_raw)
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

/* --- Time --- */

static void tell_progress(const struct capture *capture)
{
    const struct captures *captures = capture->captures;
    const struct message_capture_progress message = {
        .id = capture->order.id,
        .children_total = capture->gather.count,
        .children_done = capture->gather.done,
        .bytes_written = capture_assembler_bytes(capture->assembler),
        .proportion = gather_proportion(&capture->gather),
    };

    captures->events->on_progress(&message, captures->context);
}

/* Why item INDEX is not waited for any longer when VERDICT ends the waiting; NULL: it is. One
 * that has not been asked yet may still answer, unless it is stopped: then it would only make the
 * others wait again. */
static const char *reason_to_give_up(const struct capture *capture, size_t index,
                                     enum gather_verdict verdict)
{
    struct process_sighting sighting;

    switch (capture->gather.items[index].state) {
    case GATHER_ASKED:
        return verdict == GATHER_TIMED_OUT ? "it did not answer in time" : "it made no progress";
    case GATHER_WAITING:
        if (verdict == GATHER_TIMED_OUT)
            return "it did not answer in time";
        if (!process_sight(capture->items[index].child->pid, &sighting))
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
                        verdict == GATHER_TIMED_OUT ? "the time is up" : "no progress anywhere",
                        "those that have not answered are read from their buffers");
    for (size_t i = 0; i < capture->gather.count; i++) {
        const char *why = reason_to_give_up(capture, i, verdict);
        if (why != NULL)
            capture_fail_item(capture, i, why);
    }
    capture_advance(capture);
}

static void on_tick(uv_timer_t *timer)
{
    struct capture *capture = timer->data;

    tell_progress(capture);
    if (++capture->ticks % TICKS_PER_POLL == 0)
        poll_progress(capture);
    else
        capture_advance(capture);
}

/* --- The beginning --- */

static void describe_root(struct capture *capture)
{
    const struct captures_views *views = capture->views;
    const struct session *session = views->session;
    const struct session_settings *settings = &session->settings;

    features_names(settings->features, capture->feature_names);
    capture->root = (struct gecko_root_options){
        .reference_ns = session->start_ns,
        .reference_unix_ns = gecko_clock_unix_ns(session->start_ns),
        .session_start_ns =
            capture->since_ns > session->start_ns ? capture->since_ns : session->start_ns,
        .capture_ns = capture->capture_ns,
        .interval_ns = settings->interval_ns,
        .memory_limit_bytes = settings->memory_limit_bytes,
        .pid = getpid(),
        .profd_start_ns = views->start_ns,
        .features = capture->feature_names,
        .thread_filters = settings->thread_filters,
    };
}

/* What was recorded for others before the session that is meant began is not its affair, unless the
 * last moments are asked for. 0: everything. */
static uint64_t first_moment(const struct session *session, const struct capture_order *order)
{
    const struct session_part *part = session_part_of(session, &order->owner);

    if (order->since_ns != 0 || part == NULL || part->since_ns <= session->start_ns)
        return order->since_ns;
    return part->since_ns;
}

struct capture *capture_create(struct captures *captures, const struct capture_order *order)
{
    const struct session *session = captures->views.session;
    struct capture *capture = calloc(1, sizeof(*capture));
    if (capture == NULL) {
        close(order->output_fd);
        return NULL;
    }

    capture->captures = captures;
    capture->views = &captures->views;
    capture->order = *order;
    int error = capture_assembler_create(captures->loop, order->output_fd, &assembler_events,
                                         capture, &capture->assembler);
    if (error < 0) {
        free(capture);
        return NULL;
    }
    uv_timer_init(captures->loop, &capture->timer);
    capture->timer.data = capture;
    capture->gather_id = ++captures->last_gather_id;
    capture->capture_ns = uv_hrtime();
    capture->since_ns = first_moment(session, order);
    gathering_log_begin(&capture->log, session->start_ns);
    captures->events->on_log(&capture->log, captures->context);
    return capture;
}

void capture_start(struct capture *capture)
{
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
