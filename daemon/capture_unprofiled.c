/* The part of a capture that lists processes of which nothing is kept: each is an element of its
 * own, with what became of it and why there is no more. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/capture_state.h"
#include "daemon/daemon.h"
#include "json/gecko_process.h"

static const char *reason_of(const struct child *child)
{
    if (child->obstacle != OBSTACLE_NONE)
        return recording_obstacle_text(child->obstacle);
    if (child->has_expired)
        return "its profile was older than what the memory limit holds";
    return "its profile could not be kept";
}

static void stream_one(const struct capture *capture, const struct child *child,
                       struct json_writer *writer, struct failure_latch *latch)
{
    const struct gecko_unprofiled_process unprofiled = {
        .pid = child->pid,
        .parent_pid = child->parent_pid,
        .start_ns = child->start_ns,
        .executable = child->executable,
    };
    const struct gecko_process_options options = {
        .reference_ns = capture->root.reference_ns,
        .reference_unix_ns = capture->root.reference_unix_ns,
        .capture_ns = capture->capture_ns,
        .end_ns = child->end_ns,
        .verdict = child->obstacle != OBSTACLE_NONE ? VERDICT_NOT_PROFILED : child->verdict,
        .outcome = child->verdict,
        .code = child->code,
        .cpu_ns = child->cpu_ns,
        .later_images = child_table_later_images(&capture->profd->children, child),
        .reason = reason_of(child),
    };

    gecko_stream_unprofiled(&unprofiled, &options, writer, latch);
}

static int stream_all(struct capture *capture, int fd)
{
    struct failure_latch latch;
    bool is_first = true;

    failure_latch_init(&latch);
    for (const struct child *child = capture->profd->children.first; child != NULL;
         child = child->next) {
        struct json_writer writer;
        if (capture_can_read(child) || capture_is_past(capture, child))
            continue;
        if (!is_first)
            failure_latch_set(&latch, json_sink_fd(&fd, ",", 1));
        json_writer_init_sink(&writer, json_sink_fd, &fd, &latch);
        stream_one(capture, child, &writer, &latch);
        json_writer_fini(&writer);
        capture->processes++;
        is_first = false;
    }
    return failure_latch_error(&latch);
}

int capture_list_unprofiled(struct capture *capture)
{
    int fd = memfd_create("profd-capture-unprofiled", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;

    int error = stream_all(capture, fd);
    off_t bytes = error == 0 ? lseek(fd, 0, SEEK_CUR) : 0;
    if (bytes <= 0) {
        close(fd);
        return error;
    }
    struct capture_piece *piece = calloc(1, sizeof(*piece));
    if (piece == NULL) {
        close(fd);
        return -ENOMEM;
    }
    capture_add_piece(capture, piece, fd, (uint64_t)bytes);
    return 0;
}
