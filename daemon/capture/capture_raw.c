/* A raw capture: arenas are copied as they are, on the worker thread that writes the output. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "daemon/capture/capture_state.h"
#include "daemon/capture/raw_arena.h"
#include "daemon/memory/exit_store.h"
#include "json/raw_records.h"

/* Pieces that wait for the output: while one is copied, the next one is made ready. */
enum { COPIES = 2 };

/* Arenas that are copied in one go: those of the exit store, or one of a process that lives. */
struct copy_piece {
    struct capture_piece piece; /* without items */
    size_t count;
    bool is_stored;
    struct copy_job {
        size_t index;
        struct salvage_job job; /* its mark and error say what came of it */
        int32_t pid;
        uint64_t id;
        uint64_t bytes; /* in the output */
    } jobs[];
};

/* --- On the worker thread --- */

static int write_output(void *context, const char *bytes, size_t count)
{
    return output_pump_write(context, bytes, count);
}

static void expect_output(void *context, uint64_t bytes)
{
    output_pump_expect(context, bytes);
}

static struct raw_process_facts facts_of(const struct copy_job *copy)
{
    const struct salvage_job *job = &copy->job;

    return (struct raw_process_facts){
        .id = copy->id,
        .pid = copy->pid,
        .may_be_left_out = job->may_skip != 0,
        .options = { .reference_ns = job->reference_ns,
                     .reference_unix_ns = job->reference_unix_ns,
                     .capture_ns = job->capture_ns,
                     .since_ns = job->since_ns,
                     .process_start_ns = job->process_start_ns,
                     .end_ns = job->end_ns,
                     .verdict = (enum process_verdict)job->verdict,
                     .outcome = (enum process_verdict)job->outcome,
                     .code = job->code,
                     .cpu_time = job->cpu_time,
                     .later_images = job->later_images,
                     .reason = job->reason,
                     .title = job->title,
                     .thread_filters = job->thread_filters },
    };
}

/* Writes the record that ends the process of COPY, or takes it back when JOB->error is set. */
static int write_end(struct raw_out *out, const struct copy_job *copy)
{
    const struct raw_void none = { copy->id };
    const struct raw_process_end end = { copy->id, copy->job.bytes == 0 ? clock_monotonic_ns()
                                                                        : copy->job.capture_ns };
    bool is_good = copy->job.error == 0;
    size_t bytes = is_good ? sizeof(end) : sizeof(none);
    uint8_t *room = raw_out_room(out, bytes);

    if (room == NULL)
        return -ENOMEM;
    memcpy(room, is_good ? (const void *)&end : (const void *)&none, bytes);
    return raw_out_put(out, is_good ? RAW_PROCESS_END : RAW_VOID, bytes);
}

/* 0, or the error of writing. */
static int write_process(struct copy_job *copy, int fd, struct raw_out *out)
{
    const struct raw_process_facts facts = facts_of(copy);
    const struct raw_arena arena = { fd, copy->job.offset, copy->job.bytes };
    bool is_output = false;

    int error = raw_out_put_process(out, RAW_PROCESS, &facts);
    if (error < 0)
        return error;
    copy->job.error = raw_arena_copy(&arena, out, &is_output);
    if (is_output)
        return copy->job.error;
    copy->job.mark = copy->job.error == 0 ? SALVAGE_WRITTEN : SALVAGE_FAILED;
    return write_end(out, copy);
}

static int write_copies(struct output_pump *pump, int fd, void *piece)
{
    struct copy_piece *copies = piece;
    struct raw_out out;
    int error = raw_out_init(&out, write_output, pump);

    out.expect = expect_output;
    for (size_t i = 0; i < copies->count && error == 0; i++) {
        uint64_t before = out.bytes;
        error = write_process(&copies->jobs[i], fd, &out);
        copies->jobs[i].bytes = out.bytes - before;
    }
    if (error == 0)
        error = raw_out_flush(&out);
    output_pump_settle(pump);
    raw_out_fini(&out);
    return error;
}

/* --- On the loop's thread --- */

/* What was copied of process ID does not count. */
static int withdraw_process(struct capture *capture, uint64_t id)
{
    const struct raw_void none = { id };
    struct {
        struct raw_record record;
        struct raw_void contents;
    } both = { { RAW_VOID, raw_check(RAW_VOID, &none, sizeof(none)), sizeof(none) }, none };
    struct capture_piece *piece = calloc(1, sizeof(*piece));
    int fd = memfd_create("profd-capture-void", MFD_CLOEXEC);
    int error = piece == NULL ? -ENOMEM : fd < 0 ? -errno : 0;

    if (error == 0)
        error = json_sink_fd(&fd, (const char *)&both, sizeof(both));
    if (error < 0) {
        free(piece);
        if (fd >= 0)
            close(fd);
        return error;
    }
    return capture_assembler_add(capture->assembler, fd, sizeof(both), false, piece);
}

/* The exit store was taking the arena away while it was copied. */
static bool is_outdated(const struct copy_piece *copies, const struct child *child)
{
    return !copies->is_stored && (child->arena_fd < 0);
}

static void note_copied(struct capture *capture, const struct copy_job *copy)
{
    if (copy->job.mark != SALVAGE_WRITTEN) {
        capture_give_up(capture, copy->index, uv_strerror(copy->job.error));
        return;
    }
    capture_note_read(capture, copy->index, &copy->job);
    if (gather_note_made(&capture->gather, copy->index, copy->bytes))
        gather_note_done(&capture->gather, copy->index);
}

static void on_copied(struct capture *capture, struct capture_piece *piece)
{
    struct copy_piece *copies = (struct copy_piece *)piece;
    const struct copy_job *first = &copies->jobs[0];
    int error = 0;

    capture->copies--;
    if (is_outdated(copies, capture->items[first->index].child)) {
        if (first->job.mark == SALVAGE_WRITTEN)
            error = withdraw_process(capture, first->id);
        capture_read_again(capture, first->index);
    } else {
        for (size_t i = 0; i < copies->count; i++)
            note_copied(capture, &copies->jobs[i]);
    }
    free(copies);
    if (error < 0)
        capture_fail(capture, error);
    else
        capture_advance(capture);
}

static struct copy_piece *make_piece(struct capture *capture, const size_t *indices, size_t count)
{
    struct copy_piece *copies = calloc(1, sizeof(*copies) + count * sizeof(copies->jobs[0]));

    if (copies == NULL)
        return NULL;
    copies->piece.on_written = on_copied;
    copies->count = count;
    copies->is_stored = capture->items[indices[0]].child->exit != NULL;
    for (size_t i = 0; i < count; i++)
        copies->jobs[i] = (struct copy_job){ .index = indices[i],
                                             .job = capture_describe(capture, indices[i]),
                                             .pid = capture->items[indices[i]].child->pid,
                                             .id = ++capture->copied };
    return copies;
}

static int begin_copy(struct capture *capture, const size_t *indices, size_t count)
{
    const struct child *first = capture->items[indices[0]].child;
    int store_fd = first->exit != NULL ? exit_store_fd(capture->views->exits) : first->arena_fd;
    int fd = fcntl(store_fd, F_DUPFD_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    struct copy_piece *copies = make_piece(capture, indices, count);
    if (copies == NULL) {
        close(fd);
        return -ENOMEM;
    }
    capture->copies++;
    int error = capture_assembler_add_writer(capture->assembler, fd, write_copies, copies);
    if (error < 0)
        capture_fail(capture, error);
    return 0;
}

void capture_copy(struct capture *capture)
{
    size_t indices[GATHER_BATCH_ITEMS];

    while (!capture->is_over && capture->copies < COPIES) {
        size_t count = gather_next_to_salvage(&capture->gather, indices, GATHER_BATCH_ITEMS);
        if (count == 0)
            return;
        int error = begin_copy(capture, indices, count);
        for (size_t i = 0; i < count && error < 0; i++)
            capture_give_up(capture, indices[i], uv_strerror(error));
    }
}
