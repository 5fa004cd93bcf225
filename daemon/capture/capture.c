#include "daemon/capture/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/features.h"
#include "common/time_units.h"
#include "daemon/capture/capture_selection.h"
#include "daemon/capture/capture_state.h"
#include "daemon/children/process_list.h"
#include "daemon/children/process_title.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/when.h"
#include "json/gecko/gecko_clock.h"
#include "json/raw_records.h"

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
    requests_finish(profd, error, text);
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
        requests_add_own(profd, REQUEST_STOP, &owner);
    requests_finish(profd, 0, "");
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

/* Gives the text of WRITER, a memory writer, to the output; in a raw capture as a record of KIND.
 */
static int add_text(struct capture *capture, struct json_writer *writer, enum raw_kind kind)
{
    uint64_t bytes = json_writer_bytes(writer);
    bool is_raw = capture->request->is_raw;
    int fd = memfd_create("profd-capture-text", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = is_raw ? raw_text_begin(fd, kind == RAW_HEAD, &bytes) : 0;
    if (error == 0)
        error = json_writer_copy_out(writer, json_sink_fd, &fd);
    if (error == 0 && is_raw)
        error = raw_text_end(fd, kind, bytes);
    if (error < 0) {
        close(fd);
        return error;
    }
    return capture_assembler_add(capture->assembler, fd, bytes, false, NULL);
}

static int add_head(struct capture *capture)
{
    struct failure_latch latch;
    struct json_writer writer;

    failure_latch_init(&latch);
    json_writer_init(&writer, &latch);
    gecko_root_begin(&writer, &capture->root);
    int error = failure_latch_error(&latch);
    if (error == 0)
        error = add_text(capture, &writer, RAW_HEAD);
    json_writer_fini(&writer);
    return error;
}

static int add_tail(struct capture *capture)
{
    struct json_writer writer;

    json_writer_init(&writer, &capture->log.latch);
    gathering_log_end(&capture->log);
    /* Live processes were recording until they answered: nothing of them may lie after the end. */
    capture->root.capture_ns = uv_hrtime();
    power_describe(&capture->profd->power, &capture->root);
    gecko_root_end(&writer, &capture->root, &capture->log.json);
    int error = failure_latch_error(&capture->log.latch);
    if (error == 0)
        error = add_text(capture, &writer, RAW_TAIL);
    json_writer_fini(&writer);
    return error;
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
    int error = add_tail(capture);
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

static uint64_t recorded_bytes(const struct child *child)
{
    struct stat status;

    if (child->exit != NULL)
        return child->exit->memory_bytes;
    if (child->arena_fd < 0 || fstat(child->arena_fd, &status) < 0)
        return 0;
    return (uint64_t)status.st_blocks * 512;
}

static enum gather_state first_state(const struct child *child)
{
    if (child->kept == CHILD_KEPT_COPYING)
        return GATHER_STORING;
    return child->state == CHILD_CONNECTED && !child->is_alone ? GATHER_WAITING : GATHER_SALVAGE;
}

bool capture_can_read(const struct child *child)
{
    return child->kept == CHILD_KEPT_COPYING || child->exit != NULL || child->arena_fd >= 0;
}

static struct selection_subject subject_of(const struct child *child)
{
    return (struct selection_subject){ child->pid, child->executable, child->title };
}

bool capture_leaves_out(const struct capture *capture, const struct child *child)
{
    const struct capture_selection *selection = capture->request->selection;

    if (child->kept == CHILD_KEPT_UNWANTED ||
        (child->end_ns != 0 && child->end_ns < capture->since_ns))
        return true;
    const struct selection_subject subject = subject_of(child);
    return selection != NULL && !capture_selection_has(selection, &subject);
}

const char *capture_thread_filters(const struct capture *capture)
{
    return capture->request->selection != NULL ? capture->request->selection->threads : "";
}

static bool is_partial(const struct request *request)
{
    return request->selection != NULL && capture_selection_is_partial(request->selection);
}

static void note_unreadable(struct capture *capture, const struct child *child)
{
    const char *reason = capture_absence_reason(capture, child);

    if (child->is_dormant && !child->has_woken) {
        if (reason != NULL)
            gathering_log_gap(&capture->log, child, GAP_SUCCESSOR, reason);
    } else if (capture_has_successor(capture, child))
        gathering_log_event(&capture->log, child, "not profiled", reason);
    else if (child->obstacle != OBSTACLE_NONE)
        gathering_log_gap(&capture->log, child, GAP_OBSTACLE, reason);
    else
        gathering_log_gap(&capture->log, child,
                          child->kept == CHILD_KEPT_EXPIRED ? GAP_EXPIRED : GAP_LOST, NULL);
}

/* Of those that live, as they are at the moment: of all, or only of those in which nobody does. */
static void read_titles(struct daemon *profd, bool of_all)
{
    for (struct child *child = profd->children.first; child != NULL; child = child->next) {
        if (child->state != CHILD_ENDED && (of_all || child->is_alone))
            process_title_look(child);
    }
}

static int list_children(struct capture *capture)
{
    struct daemon *profd = capture->profd;
    size_t count = 0;

    census_take(profd);
    read_titles(profd, false);
    for (const struct child *child = profd->children.first; child != NULL; child = child->next)
        count += capture_can_read(child) && !capture_leaves_out(capture, child);
    capture->children = calloc(count + 1, sizeof(struct child *));
    capture->profile_places = calloc(count + 1, sizeof(*capture->profile_places));
    if (capture->children == NULL || capture->profile_places == NULL)
        return -ENOMEM;
    int error = gather_create(count, capture->request->timeout_ms, &capture->gather);
    if (error < 0)
        return error;

    size_t index = 0;
    for (struct child *child = profd->children.first; child != NULL; child = child->next) {
        if (capture_leaves_out(capture, child))
            continue;
        if (!capture_can_read(child)) {
            note_unreadable(capture, child);
            continue;
        }
        gather_set(&capture->gather, index, first_state(child), child->exit != NULL,
                   capture->request->is_raw ? 0 : recorded_bytes(child));
        child->capture_index = (long)index;
        child->salvage_reason = "its agent closed the connection to profd";
        if (child->trouble != NULL)
            gathering_log_gap(&capture->log, child, GAP_TROUBLE, child->trouble);
        capture->children[index] = child;
        capture_hold(capture, index++);
    }
    if (is_partial(capture->request))
        return 0; /* who else there was does not matter */
    gathering_log_gap_count(&capture->log, GAP_FORGOTTEN, profd->forgotten);
    gathering_log_lost_news(&capture->log, profd->census.lost);
    return 0;
}

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

static bool fits_any(const struct daemon *profd, const struct selection_word *word)
{
    for (const struct child *child = profd->children.first; child != NULL; child = child->next) {
        const struct selection_subject subject = subject_of(child);
        if (selection_word_fits(word, &subject))
            return true;
    }
    return false;
}

/* A program captures in a session of its own; whoever controls profd, in any, but ends its own
 * only. NULL, or a refusal. */
static const char *check_owner(const struct daemon *profd, const struct request *request)
{
    if (request->owner.kind != SESSION_OWNER_PROGRAM && !request->stop_after)
        return NULL;
    return session_lack(&profd->session, &request->owner);
}

/* Refuses what selects nothing: it was mistyped, or came too late. */
static bool check_selection(struct daemon *profd, const struct request *request, char *text,
                            size_t capacity)
{
    struct selection_word word;

    if (!is_partial(request))
        return true;
    census_take(profd);
    read_titles(profd, true);
    for (bool more = capture_selection_next(request->selection, NULL, &word); more;
         more = capture_selection_next(request->selection, &word, &word)) {
        if (fits_any(profd, &word))
            continue;
        snprintf(text, capacity, "%s '%.*s'; profctl status lists those that profd knows",
                 word.is_pid ? "there is no process with the id" : "no process is called",
                 word.length < 64 ? (int)word.length : 64, word.text);
        return false;
    }
    return true;
}

void capture_begin(struct daemon *profd, struct request *request)
{
    char text[SELECTION_TEXT_BYTES];
    const char *refusal = check_owner(profd, request);

    if (refusal != NULL) {
        requests_finish(profd, -ESRCH, refusal);
        return;
    }
    if (!check_selection(profd, request, text, sizeof(text))) {
        requests_finish(profd, -ESRCH, text);
        return;
    }
    if (!session_may_move(&profd->session, SESSION_EVENT_GATHER)) {
        requests_finish(profd, -EINVAL,
                        session_refusal(profd->session.state, SESSION_EVENT_GATHER));
        return;
    }
    session_move(&profd->session, SESSION_EVENT_GATHER);
    struct capture *capture = create(profd, request);
    if (capture == NULL) {
        session_move(&profd->session, SESSION_EVENT_GATHERED);
        requests_finish(profd, -ENOMEM, "cannot begin the capture: no memory");
        return;
    }

    profd->capture = capture;
    describe_root(capture);
    int error = list_children(capture);
    if (error == 0)
        error = add_head(capture);
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
