/* The part of a capture that salvage workers make. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/capture/capture_state.h"
#include "daemon/children/cpu_account.h"
#include "daemon/children/process_tree.h"
#include "daemon/log.h"
#include "daemon/memory/exit_store.h"

const char *const capture_lost_in_exec =
    "the next one never said hello, and how it ended is not known";

bool capture_is_lost_in_exec(const struct capture *capture, const struct child *child)
{
    return child->verdict == VERDICT_EXECED &&
           child_table_later_images(capture->views->children, child) == 0 &&
           process_start_ticks(child->pid) == 0;
}

struct salvage_job capture_describe(const struct capture *capture, size_t index)
{
    const struct child *child = capture->items[index].child;
    struct salvage_job job = {
        .reference_ns = capture->root.reference_ns,
        .reference_unix_ns = capture->root.reference_unix_ns,
        .capture_ns = capture->capture_ns,
        .since_ns = capture->since_ns,
        .process_start_ns = child->state == CHILD_ENDED ? child->process_start_ns : 0,
        .end_ns = child->end_ns,
        .verdict = child->verdict,
        .outcome = child->verdict,
        .code = child->code,
        .cpu_time = cpu_account_of(child, capture->since_ns),
        .later_images = child_table_later_images(capture->views->children, child),
        .may_skip = child->verdict == VERDICT_EXECED && child->is_fork,
    };

    if (child->title.text != NULL &&
        (child->agent == CHILD_IS_ALONE || child->state == CHILD_ENDED))
        snprintf(job.title, sizeof(job.title), "%s", child->title.text);
    snprintf(job.thread_filters, sizeof(job.thread_filters), "%s", capture_thread_filters(capture));
    if (child->exit != NULL) {
        job.offset = child->exit->offset;
        job.bytes = child->exit->bytes;
    } else if (child->agent != CHILD_IS_ALONE && !capture->gather.items[index].is_ready) {
        job.verdict = VERDICT_FROZEN;
        snprintf(job.reason, sizeof(job.reason), "%s", capture->items[index].reason);
    }
    if (child->exit != NULL && child->trouble != NULL)
        snprintf(job.reason, sizeof(job.reason), "%s", child->trouble);
    if (capture_is_lost_in_exec(capture, child)) {
        job.may_skip = false;
        job.is_lost = 1;
        snprintf(job.reason, sizeof(job.reason), "%s", capture_lost_in_exec);
    }
    return job;
}

void capture_give_up(struct capture *capture, size_t index, const char *why)
{
    gathering_log_gap(&capture->log, capture->items[index].child, GAP_UNREADABLE, why);
    capture_release(capture, index);
    gather_note_done(&capture->gather, index);
}

/* Where job I, which is item INDEX, put its JSON: behind the job before it, and a comma. */
static struct capture_piece_item place_of(const struct salvage_result *result, size_t i,
                                          size_t index)
{
    uint64_t before = i > 0 ? result->jobs[i - 1].output_end : 0;

    return (struct capture_piece_item){ index, before > 0 ? before + 1 : 0,
                                        result->jobs[i].output_end };
}

static void on_salvaged(const struct salvage_result *result, void *owner, void *batch);

static int begin_batch(struct capture *capture, struct capture_piece *piece)
{
    struct captures *captures = capture->captures;
    struct child *first = capture->items[piece->items[0].index].child;
    int store_fd = first->exit != NULL ? exit_store_fd(captures->views.exits) : first->arena_fd;
    struct salvage_job *jobs = calloc(piece->count, sizeof(*jobs));

    if (jobs == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < piece->count; i++)
        jobs[i] = capture_describe(capture, piece->items[i].index);
    int error = salvage_pool_begin(&captures->salvage, jobs, piece->count, store_fd, on_salvaged,
                                   capture, piece);
    free(jobs);
    return error;
}

void capture_salvage(struct capture *capture)
{
    size_t indices[GATHER_BATCH_ITEMS];

    while (salvage_pool_has_room(&capture->captures->salvage)) {
        size_t count = gather_next_to_salvage(&capture->gather, indices, GATHER_BATCH_ITEMS);
        if (count == 0)
            return;
        struct capture_piece *piece = calloc(1, sizeof(*piece) + count * sizeof(piece->items[0]));
        int error = -ENOMEM;
        if (piece != NULL) {
            piece->count = count;
            for (size_t i = 0; i < count; i++)
                piece->items[i] = (struct capture_piece_item){ .index = indices[i] };
            error = begin_batch(capture, piece);
        }
        if (error == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            capture_give_up(capture, indices[i], uv_strerror(error));
        free(piece);
    }
}

/* A worker that never began says nothing about any arena: another would not begin either. */
static bool never_began(const struct salvage_result *result)
{
    return result->jobs[0].mark == SALVAGE_NOT_DONE && WIFEXITED(result->wait_status);
}

static void describe_crash(const struct salvage_result *result, char *out, size_t capacity)
{
    if (WIFSIGNALED(result->wait_status))
        snprintf(out, capacity, "profd-salvage was killed by signal %d",
                 WTERMSIG(result->wait_status));
    else
        snprintf(out, capacity, "profd-salvage exited with %d", WEXITSTATUS(result->wait_status));
}

void capture_note_read(struct capture *capture, size_t index, const struct salvage_job *job)
{
    const struct child *child = capture->items[index].child;

    if (job->verdict == VERDICT_FROZEN)
        gathering_log_gap(&capture->log, child, GAP_FROZEN, job->reason);
    else if (job->is_lost)
        gathering_log_gap(&capture->log, child, GAP_SUCCESSOR, job->reason);
    else if (!capture->gather.items[index].is_ready)
        gathering_log_event(&capture->log, child, "salvaged", NULL);
    capture->processes++;
    capture_release(capture, index);
}

/* Takes in what became of item INDEX, number I of the batch. Returns true when it is in the output.
 */
static bool take_result(struct capture *capture, const struct salvage_result *result, size_t i,
                        size_t index, bool *has_crashed)
{
    const struct salvage_job *job = &result->jobs[i];
    uint64_t before = i > 0 ? result->jobs[i - 1].output_end : 0;
    char why[80];

    switch (job->mark) {
    case SALVAGE_WRITTEN:
        capture_note_read(capture, index, job);
        gather_note_made(&capture->gather, index, job->output_end - before);
        return true;
    case SALVAGE_SKIPPED:
        gathering_log_event(&capture->log, capture->items[index].child, "left out",
                            "it had recorded no samples or markers before its exec");
        capture_release(capture, index);
        gather_note_made(&capture->gather, index, 0);
        return false;
    case SALVAGE_FAILED:
        capture_give_up(capture, index, uv_strerror(job->error));
        return false;
    default:
        if (*has_crashed && !never_began(result)) {
            gather_note_retry(&capture->gather, index);
            return false;
        }
        describe_crash(result, why, sizeof(why));
        capture_give_up(capture, index, why);
        *has_crashed = true;
        return false;
    }
}

/* The worker read the arena of a process that lived when it began and has ended since: the exit
 * store was taking the arena away under it. */
static bool is_outdated(const struct salvage_result *result, const struct child *child)
{
    return result->jobs[0].bytes == 0 && (child->arena_fd < 0);
}

void capture_read_again(struct capture *capture, size_t index)
{
    struct child *child = capture->items[index].child;

    if (!gather_note_outdated(&capture->gather, index))
        return;
    gathering_log_event(&capture->log, child, "ended", process_verdict_name(child->verdict));
    if (child->kept != CHILD_KEPT_COPYING)
        captures_note_stored(capture->captures, child);
}

static void on_salvaged(const struct salvage_result *result, void *owner, void *batch)
{
    struct capture *capture = owner;
    struct capture_piece *piece = batch;
    size_t written = 0;
    bool has_crashed = false;

    if (is_outdated(result, capture->items[piece->items[0].index].child)) {
        capture_read_again(capture, piece->items[0].index);
        free(piece);
        close(result->output_fd);
        capture_advance(capture);
        return;
    }
    for (size_t i = 0; i < result->count; i++) {
        size_t index = piece->items[i].index;
        if (take_result(capture, result, i, index, &has_crashed))
            piece->items[written++] = place_of(result, i, index);
    }
    piece->count = written;
    piece->bytes = result->output_bytes;
    if (has_crashed)
        log_warn("profd-salvage ended before it was done (wait status %#x)",
                 (unsigned)result->wait_status);
    if (written > 0) {
        capture_add_piece(capture, piece, result->output_fd, result->output_bytes);
    } else {
        free(piece);
        close(result->output_fd);
    }
    capture_advance(capture);
}
