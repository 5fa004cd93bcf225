/* The part of a capture that living agents make, and what happens to processes meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/capture/capture_state.h"
#include "daemon/children/cpu_account.h"
#include "daemon/log.h"
#include "daemon/outbox.h"

/* --- Asking the living --- */

void capture_fail_item(struct capture *capture, size_t index, const char *why)
{
    if (!gather_note_failed(&capture->gather, index))
        return;
    capture->items[index].reason = why;
    gathering_log_event(&capture->log, capture->items[index].child, "no answer", why);
}

void capture_ask(struct capture *capture, size_t index)
{
    struct child *child = capture->items[index].child;
    const char *filters = capture_thread_filters(capture);
    struct message_gather_profile message = {
        .gather_id = capture->gather_id,
        .reference_ns = capture->root.reference_ns,
        .reference_unix_ns = capture->root.reference_unix_ns,
        .since_ns = capture->since_ns,
        .later_images = child_table_later_images(capture->views->children, child),
        .cpu_before_ns = cpu_account_of(child, capture->since_ns).before_ns,
        .thread_filters = { filters, strlen(filters) },
        .is_raw = capture->order.is_raw,
    };

    gathering_log_event(&capture->log, child, "asked", NULL);
    if (child->connection == NULL ||
        outbox_gather_profile_for(child->protocol_minor, child->connection, MESSAGE_GATHER_PROFILE,
                                  &message) < 0)
        capture_fail_item(capture, index, "its agent closed the connection to profd");
}

void capture_ask_for_progress(const struct capture *capture)
{
    struct message_gather_id message = { capture->gather_id };

    for (size_t i = 0; i < capture->gather.count; i++) {
        struct child *child = capture->items[i].child;
        if (capture->gather.items[i].state == GATHER_ASKED && child->connection != NULL)
            outbox_gather_id(child->connection, MESSAGE_GET_GATHER_PROFILE_PROGRESS, &message);
    }
}

/* --- What children do meanwhile --- */

/* The capture that CHILD is in, with its index; NULL: none. */
static struct capture *capture_of(const struct captures *captures, const struct child *child,
                                  size_t *index)
{
    if (captures->current == NULL || !capture_find(captures->current, child, index))
        return NULL;
    return captures->current;
}

bool captures_have(const struct captures *captures, const struct child *child)
{
    size_t index;
    return capture_of(captures, child, &index) != NULL;
}

void captures_note_progress(struct captures *captures, struct child *child, uint64_t gather_id,
                            uint64_t proportion)
{
    size_t index;
    struct capture *capture = capture_of(captures, child, &index);

    if (capture != NULL && gather_id == capture->gather_id)
        gather_note_proportion(&capture->gather, index, proportion);
}

/* A child's JSON is moved as it is: it must be a file of memory, whole, that nobody can cut any
 * more, and look like an object. */
static int check_profile(const int *profile_fd, uint64_t json_bytes)
{
    struct stat status;
    char first = 0, last = 0;

    if (profile_fd == NULL)
        return -EPROTO;
    int fd = *profile_fd;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0)
        return -EPROTO;
    if (!(seals & F_SEAL_SHRINK) && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0)
        return -EPROTO; /* cut while it is moved, it would spoil the whole output */
    if (fstat(fd, &status) < 0)
        return -errno;
    if (json_bytes < 2 || json_bytes > (uint64_t)status.st_size || pread(fd, &first, 1, 0) != 1 ||
        pread(fd, &last, 1, (off_t)json_bytes - 1) != 1)
        return -EPROTO;
    return first == '{' && last == '}' ? 0 : -EPROTO;
}

/* What CHILD recorded is copied from its arena, which its agent has brought up to date; one that
 * does not know of raw captures has made JSON as well, which nobody wants. */
static void note_ready(struct capture *capture, struct child *child, size_t index,
                       const struct message_profile *message)
{
    if (message->error != 0)
        capture_fail_item(capture, index, "its agent could not make the profile");
    else if (gather_note_ready(&capture->gather, index))
        gathering_log_event(&capture->log, child, "answered", NULL);
    else
        gathering_log_event(&capture->log, child, "answered too late", NULL);
    capture_advance(capture);
}

void captures_note_profile(struct captures *captures, struct child *child,
                           const struct message_profile *message, int *fd)
{
    size_t index;
    struct capture *capture = capture_of(captures, child, &index);

    if (capture == NULL || message->gather_id != capture->gather_id)
        return;
    if (message->error == -EBUSY && gather_note_busy(&capture->gather, index)) {
        gathering_log_event(&capture->log, child, "busy", "with a capture that was cancelled");
        return; /* the next tick asks again */
    }
    if (capture->order.is_raw) {
        note_ready(capture, child, index, message);
        return;
    }
    int error = message->error != 0 ? (int)message->error : check_profile(fd, message->json_bytes);
    struct capture_piece *piece = malloc(sizeof(*piece) + sizeof(piece->items[0]));
    if (error == 0 && piece == NULL)
        error = -ENOMEM;
    if (error < 0) {
        log_warn_of(child->pid, "%d (%s) cannot make its profile: %s", child->pid,
                    child->executable, uv_strerror(error));
        capture_fail_item(capture, index, "its agent could not make the profile");
        free(piece);
    } else if (gather_note_made(&capture->gather, index, message->json_bytes)) {
        gathering_log_event(&capture->log, child, "answered", NULL);
        capture->processes++;
        *piece = (struct capture_piece){ .bytes = message->json_bytes, .count = 1 };
        piece->items[0] = (struct capture_piece_item){ index, 0, message->json_bytes };
        capture_add_piece(capture, piece, *fd, message->json_bytes);
        *fd = -1;
    } else {
        gathering_log_event(&capture->log, child, "answered too late", NULL);
        free(piece);
    }
    if (captures->current != NULL)
        capture_advance(capture);
}

void captures_note_silent(struct captures *captures, struct child *child)
{
    size_t index;
    struct capture *capture = capture_of(captures, child, &index);

    if (capture == NULL)
        return;
    capture_fail_item(capture, index, "its agent closed the connection to profd");
    capture_advance(capture);
}

void captures_note_ended(struct captures *captures, struct child *child)
{
    size_t index;
    struct capture *capture = capture_of(captures, child, &index);

    if (capture == NULL || !gather_note_ended(&capture->gather, index))
        return;
    gathering_log_event(&capture->log, child, "ended", process_verdict_name(child->verdict));
    if (child->kept != CHILD_KEPT_COPYING)
        captures_note_stored(captures, child);
}

void captures_note_stored(struct captures *captures, struct child *child)
{
    size_t index;
    struct capture *capture = capture_of(captures, child, &index);

    if (capture == NULL)
        return;
    if (child->exit != NULL) {
        capture_reference(capture, index);
        gather_note_stored(&capture->gather, index);
    } else {
        gathering_log_gap(&capture->log, child, GAP_LOST, NULL);
        gather_note_done(&capture->gather, index);
    }
    capture_advance(capture);
}
