/* Which processes a capture is about, and how each of them is read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "daemon/capture/capture_selection.h"
#include "daemon/capture/capture_state.h"
#include "daemon/children/process_title.h"
#include "daemon/memory/exit_store.h"

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
    return child->state == CHILD_CONNECTED && child->agent != CHILD_IS_ALONE ? GATHER_WAITING
                                                                             : GATHER_SALVAGE;
}

bool capture_can_read(const struct child *child)
{
    return child->kept == CHILD_KEPT_COPYING || child->exit != NULL || child->arena_fd >= 0;
}

static struct selection_subject subject_of(const struct child *child)
{
    return (struct selection_subject){ child->pid, child->executable, child->title.text };
}

bool capture_leaves_out(const struct capture *capture, const struct child *child)
{
    const struct capture_selection *selection = capture->order.selection;

    if (child->kept == CHILD_KEPT_UNWANTED ||
        (child->end_ns != 0 && child->end_ns < capture->since_ns))
        return true;
    const struct selection_subject subject = subject_of(child);
    return selection != NULL && !capture_selection_has(selection, &subject);
}

const char *capture_thread_filters(const struct capture *capture)
{
    return capture->order.selection != NULL ? capture->order.selection->threads : "";
}

static bool is_partial(const struct capture_order *order)
{
    return order->selection != NULL && capture_selection_is_partial(order->selection);
}

static void note_unreadable(struct capture *capture, const struct child *child)
{
    const char *reason = capture_absence_reason(capture, child);

    if (child_had_nothing_to_record(child)) {
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
static void read_titles(const struct child_table *children, bool of_all)
{
    for (struct child *child = children->first; child != NULL; child = child->next) {
        if (child->state != CHILD_ENDED && (of_all || child->agent == CHILD_IS_ALONE))
            process_title_look(child);
    }
}

/* So that the table has who is there by now, with their titles. */
static void look_around(const struct captures *captures, bool are_all_titles_read)
{
    captures->events->on_listing(captures->context);
    read_titles(captures->views.children, are_all_titles_read);
}

int capture_list_children(struct capture *capture)
{
    const struct captures_views *views = capture->views;
    const struct child_table *children = views->children;
    size_t count = 0;

    look_around(capture->captures, false);
    for (const struct child *child = children->first; child != NULL; child = child->next)
        count += capture_can_read(child) && !capture_leaves_out(capture, child);
    capture->items = calloc(count + 1, sizeof(*capture->items));
    capture->profile_places = calloc(count + 1, sizeof(*capture->profile_places));
    if (capture->items == NULL || capture->profile_places == NULL)
        return -ENOMEM;
    int error = gather_create(count, capture->order.timeout_ms, &capture->gather);
    if (error < 0)
        return error;

    size_t index = 0;
    for (struct child *child = children->first; child != NULL; child = child->next) {
        if (capture_leaves_out(capture, child))
            continue;
        if (!capture_can_read(child)) {
            note_unreadable(capture, child);
            continue;
        }
        gather_set(&capture->gather, index, first_state(child), child->exit != NULL,
                   capture->order.is_raw ? 0 : recorded_bytes(child));
        if (child->trouble != NULL)
            gathering_log_gap(&capture->log, child, GAP_TROUBLE, child->trouble);
        capture->items[index] =
            (struct capture_item){ child, "its agent closed the connection to profd" };
        capture_reference(capture, index++);
    }
    error = capture_index_items(capture);
    if (error < 0)
        return error;
    if (is_partial(&capture->order))
        return 0; /* who else there was does not matter */
    gathering_log_gap_count(&capture->log, GAP_FORGOTTEN, *views->forgotten);
    gathering_log_gap_count(&capture->log, GAP_UNHEARD, *views->lost_news);
    return 0;
}

static bool fits_any(const struct child_table *children, const struct selection_word *word)
{
    for (const struct child *child = children->first; child != NULL; child = child->next) {
        const struct selection_subject subject = subject_of(child);
        if (selection_word_fits(word, &subject))
            return true;
    }
    return false;
}

bool capture_selects_any(const struct captures *captures, const struct capture_order *order,
                         char *text, size_t capacity)
{
    struct selection_word word;

    if (!is_partial(order))
        return true;
    look_around(captures, true);
    for (bool more = capture_selection_next(order->selection, NULL, &word); more;
         more = capture_selection_next(order->selection, &word, &word)) {
        if (fits_any(captures->views.children, &word))
            continue;
        snprintf(text, capacity, "%s '%.*s'; profctl status lists those that profd knows",
                 word.is_pid ? "no process has the id" : "no process is named",
                 word.length < 64 ? (int)word.length : 64, word.text);
        return false;
    }
    return true;
}
