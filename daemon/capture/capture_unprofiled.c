/* The part of a capture that lists processes of which nothing is kept, or that had nothing to
 * record: each is an element of its own, with what became of it and why there is no more. There may
 * be tens of thousands, so their JSON is made by a worker thread, from what was known of them when
 * the capture began. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/capture/capture_state.h"
#include "daemon/children/cpu_account.h"
#include "json/gecko/gecko_process.h"
#include "json/raw_records.h"
#include "json/spare_pages.h"

struct unprofiled {
    struct gecko_unprofiled_process process; /* its strings are owned */
    char title[ARENA_TITLE_BYTES];           /* "": none */
    struct gecko_process_options options;
};

struct unprofiled_list {
    uv_work_t work;
    struct capture *capture; /* NULL: it does not wait for this any longer */
    size_t count;
    int fd; /* of the JSON; -1: none */
    int error;
    bool is_raw;
    struct unprofiled items[];
};

bool capture_has_successor(const struct capture *capture, const struct child *child)
{
    return child->obstacle == OBSTACLE_OTHER_USER && child->verdict == VERDICT_EXECED &&
           child_table_later_images(capture->views->children, child) > 0;
}

const char *capture_absence_reason(const struct capture *capture, const struct child *child)
{
    static const char unheard[] = "its recordings were lost: it ended before it could say hello, "
                                  "had no descriptor left for it, or had another root directory";
    if (child->dormancy == CHILD_WOKEN)
        return child->state == CHILD_ENDED ? unheard : "profd has not received its hello yet";
    if (child_had_nothing_to_record(child))
        return capture_is_lost_in_exec(capture, child) ? capture_lost_in_exec : NULL;
    if (capture_has_successor(capture, child))
        return "it belongs to another user and became another program before profd allowed it to "
               "record";
    if (child->obstacle != OBSTACLE_NONE)
        return recording_obstacle_text(child->obstacle);
    if (child->kept == CHILD_KEPT_EXPIRED)
        return "its profile was dropped to stay within the memory limit";
    return "its profile could not be saved";
}

/* What a fork did before its exec was nothing; the program after it is listed, where there is one.
 */
static bool is_fork_before_exec(const struct capture *capture, const struct child *child)
{
    return child->dormancy != CHILD_AWAKE && child->is_fork && child->verdict == VERDICT_EXECED &&
           !capture_is_lost_in_exec(capture, child);
}

static bool is_listed(const struct capture *capture, const struct child *child)
{
    return !capture_can_read(child) && !capture_leaves_out(capture, child) &&
           !is_fork_before_exec(capture, child) && capture_thread_filters(capture)[0] == '\0';
}

/* --- What is known of them, on the loop's thread --- */

/* Of others only the first argument is known. NULL without memory. */
static char *copy_arguments(const struct child *child)
{
    size_t bytes = child->dormancy != CHILD_AWAKE ? child->arguments_bytes : 0;
    char *copy = malloc(bytes + 1);

    if (copy != NULL && bytes > 0)
        memcpy(copy, child->arguments, bytes);
    return copy;
}

static void free_strings(struct gecko_unprofiled_process *process)
{
    free((char *)process->executable);
    free((char *)process->command_line);
}

/* 0: not known. */
static uint64_t process_start_of(const struct child *child)
{
    bool is_own = child->process_start_ns == child->start_ns;
    return child->lacks_start && is_own ? 0 : child->process_start_ns;
}

static int list_child(struct unprofiled_list *list, const struct child *child)
{
    const struct capture *capture = list->capture;
    struct unprofiled *item = &list->items[list->count];
    char *executable = strdup(child->executable);
    char *command_line = executable != NULL ? copy_arguments(child) : NULL;

    if (command_line == NULL) {
        free(executable);
        return -ENOMEM;
    }
    item->process = (struct gecko_unprofiled_process){
        .pid = child->pid,
        .parent_pid = child->parent_pid,
        .start_ns = child->lacks_start ? 0 : child->start_ns,
        .executable = executable,
        .command_line = command_line,
        .command_line_bytes = child->dormancy != CHILD_AWAKE ? child->arguments_bytes : 0,
        .account = child->expired,
    };
    item->options = (struct gecko_process_options){
        .reference_ns = capture->root.reference_ns,
        .reference_unix_ns = capture->root.reference_unix_ns,
        .capture_ns = capture->capture_ns,
        .process_start_ns = process_start_of(child),
        .end_ns = child->end_ns,
        .verdict = child->obstacle != OBSTACLE_NONE ? VERDICT_NOT_PROFILED : child->verdict,
        .outcome = child->verdict,
        .code = child->code,
        .cpu_time = cpu_account_of(child, capture->since_ns),
        .later_images = child_table_later_images(capture->views->children, child),
        .reason = capture_absence_reason(capture, child),
    };
    snprintf(item->title, sizeof(item->title), "%s",
             child->title.text != NULL ? child->title.text : "");
    list->count++;
    return 0;
}

static int list_children(struct unprofiled_list *list)
{
    int error = 0;

    for (const struct child *child = list->capture->views->children->first;
         error == 0 && child != NULL; child = child->next) {
        if (is_listed(list->capture, child))
            error = list_child(list, child);
    }
    return error;
}

static void destroy_list(struct unprofiled_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_strings(&list->items[i].process);
    if (list->fd >= 0)
        close(list->fd);
    free(list);
}

/* --- Their JSON, on a worker thread --- */

static void write_one(const struct unprofiled *item, int fd, struct failure_latch *latch)
{
    struct gecko_process_options options = item->options;
    struct json_writer writer;

    options.title = item->title;
    json_writer_init_sink(&writer, json_sink_fd, &fd, latch);
    gecko_stream_unprofiled(&item->process, &options, &writer, latch);
    json_writer_fini(&writer);
}

static int write_all(struct unprofiled_list *list)
{
    struct failure_latch latch;

    failure_latch_init(&latch);
    spare_pages_keep(); /* the same few for each */
    for (size_t i = 0; i < list->count && !failure_latch_failed(&latch); i++) {
        if (i > 0)
            failure_latch_set(&latch, json_sink_fd(&list->fd, ",", 1));
        write_one(&list->items[i], list->fd, &latch);
    }
    spare_pages_release();
    return failure_latch_error(&latch);
}

/* --- Or their facts, in a raw capture --- */

static int write_raw(struct unprofiled_list *list)
{
    struct raw_out out;
    int error = raw_out_init(&out, json_sink_fd, &list->fd);

    for (size_t i = 0; i < list->count && error == 0; i++) {
        const struct unprofiled *item = &list->items[i];
        struct raw_process_facts facts = { .pid = item->process.pid,
                                           .options = item->options,
                                           .unprofiled = item->process };
        facts.options.title = item->title;
        error = raw_out_put_process(&out, RAW_UNPROFILED, &facts);
    }
    if (error == 0)
        error = raw_out_flush(&out);
    raw_out_fini(&out);
    return error;
}

/* --- Both --- */

static void on_work(uv_work_t *work)
{
    struct unprofiled_list *list = work->data;

    list->fd = memfd_create("profd-capture-unprofiled", MFD_CLOEXEC);
    if (list->fd < 0)
        list->error = -errno;
    else
        list->error = list->is_raw ? write_raw(list) : write_all(list);
}

/* Makes the list a piece of the output. */
static int add_list(struct unprofiled_list *list)
{
    struct capture_piece *piece = list->error == 0 ? calloc(1, sizeof(*piece)) : NULL;
    off_t bytes = piece != NULL ? lseek(list->fd, 0, SEEK_CUR) : 0;

    if (piece == NULL || bytes < 0) {
        free(piece);
        return list->error < 0 ? list->error : -ENOMEM;
    }
    list->capture->processes += list->count;
    capture_add_piece(list->capture, piece, list->fd, (uint64_t)bytes);
    list->fd = -1;
    return 0;
}

static void on_listed(uv_work_t *work, int status)
{
    struct unprofiled_list *list = work->data;
    struct capture *capture = list->capture;
    (void)status; /* it is never cancelled */

    if (capture != NULL) {
        capture->unprofiled = NULL;
        int error = add_list(list);
        if (error < 0)
            capture_fail(capture, error);
        else
            capture_advance(capture);
    }
    destroy_list(list);
}

/* --- Life cycle --- */

int capture_list_unprofiled(struct capture *capture)
{
    size_t count = 0;

    for (const struct child *child = capture->views->children->first; child != NULL;
         child = child->next)
        count += is_listed(capture, child);
    if (count == 0)
        return 0;
    struct unprofiled_list *list = calloc(1, sizeof(*list) + count * sizeof(list->items[0]));
    if (list == NULL)
        return -ENOMEM;
    list->work.data = list;
    list->capture = capture;
    list->fd = -1;
    list->is_raw = capture->order.is_raw;
    int error = list_children(list);
    if (error == 0)
        error = uv_queue_work(capture->captures->loop, &list->work, on_work, on_listed);
    if (error < 0) {
        destroy_list(list);
        return error;
    }
    capture->unprofiled = list;
    return 0;
}

void capture_forget_unprofiled(struct capture *capture)
{
    if (capture->unprofiled != NULL)
        capture->unprofiled->capture = NULL;
    capture->unprofiled = NULL;
}
