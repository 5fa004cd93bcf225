#include "daemon/capture/capture_assembler.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A piece that waits. */
struct waiting_piece {
    int fd;
    uint64_t bytes;
    capture_assembler_write write; /* NULL: the bytes are moved */
    bool is_element;
    void *piece;
    struct waiting_piece *next;
};

struct capture_assembler {
    uv_loop_t *loop;
    uv_work_t work;
    uv_async_t finished; /* frees from the loop when nothing was being moved at close */
    struct output_pump pump;
    struct waiting_piece *first, *last; /* the first one is being moved */
    bool is_moving, is_closing, has_element;
    int error;
    int move_error;  /* the worker's, from uv_queue_work() to on_moved() */
    int queue_error; /* why no worker was had */
    const struct capture_assembler_events *events;
    void *owner;
};

static void free_piece(struct waiting_piece *piece)
{
    close(piece->fd);
    free(piece);
}

static void drop_waiting(struct capture_assembler *assembler)
{
    while (assembler->first != NULL) {
        struct waiting_piece *piece = assembler->first;
        assembler->first = piece->next;
        free(piece->piece);
        free_piece(piece);
    }
    assembler->last = NULL;
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct capture_assembler *assembler = handle->data;

    drop_waiting(assembler);
    close(assembler->pump.output_fd);
    close(assembler->pump.cancel_fd);
    assembler->events->on_closed(assembler->owner);
    free(assembler);
}

static void move_on_worker(uv_work_t *work)
{
    struct capture_assembler *assembler = work->data;
    const struct waiting_piece *piece = assembler->first;
    int error = 0;

    if (piece->is_element && assembler->has_element)
        error = output_pump_write(&assembler->pump, ",", 1);
    if (error == 0 && piece->write != NULL)
        error = piece->write(&assembler->pump, piece->fd, piece->piece);
    else if (error == 0)
        error = output_pump_move(&assembler->pump, piece->fd, piece->bytes);
    assembler->move_error = error;
}

static void move_next(struct capture_assembler *assembler);

static void fail_assembly(struct capture_assembler *assembler, int error)
{
    assembler->error = error;
    drop_waiting(assembler);
    assembler->events->on_failed(error, assembler->owner);
}

static void on_moved(uv_work_t *work, int status)
{
    struct capture_assembler *assembler = work->data;
    int error = status < 0 ? status : assembler->move_error;

    assembler->is_moving = false;
    if (assembler->is_closing) {
        uv_close((uv_handle_t *)&assembler->finished, on_handle_closed);
        return;
    }
    if (error < 0) {
        fail_assembly(assembler, error);
        return;
    }

    struct waiting_piece *piece = assembler->first;
    void *tag = piece->piece;
    uint64_t end = capture_assembler_bytes(assembler);
    assembler->first = piece->next;
    if (assembler->first == NULL)
        assembler->last = NULL;
    assembler->has_element |= piece->is_element;
    free_piece(piece);
    move_next(assembler);
    assembler->events->on_written(tag, end, assembler->owner);
}

static void on_move_refused(uv_async_t *async)
{
    struct capture_assembler *assembler = async->data;

    if (!assembler->is_closing && assembler->error == 0)
        fail_assembly(assembler, assembler->queue_error);
}

static void move_next(struct capture_assembler *assembler)
{
    if (assembler->first == NULL || assembler->is_moving)
        return;
    assembler->queue_error =
        uv_queue_work(assembler->loop, &assembler->work, move_on_worker, on_moved);
    assembler->is_moving = assembler->queue_error == 0;
    if (!assembler->is_moving)
        uv_async_send(&assembler->finished);
}

int capture_assembler_create(uv_loop_t *loop, int output_fd,
                             const struct capture_assembler_events *events, void *owner,
                             struct capture_assembler **out)
{
    struct capture_assembler *assembler = calloc(1, sizeof(*assembler));
    int cancel_fd = eventfd(0, EFD_CLOEXEC);
    int error = -ENOMEM;

    if (assembler == NULL)
        goto failed;
    error = cancel_fd < 0 ? -errno : uv_async_init(loop, &assembler->finished, on_move_refused);
    if (error < 0)
        goto failed;
    assembler->loop = loop;
    assembler->pump.output_fd = output_fd;
    assembler->pump.cancel_fd = cancel_fd;
    assembler->events = events;
    assembler->owner = owner;
    assembler->work.data = assembler->finished.data = assembler;
    *out = assembler;
    return 0;

failed:
    if (cancel_fd >= 0)
        close(cancel_fd);
    close(output_fd);
    free(assembler);
    return error;
}

/* Adds a copy of PIECE, whose descriptor and tag are taken over on every path. */
static int add_piece(struct capture_assembler *assembler, const struct waiting_piece *piece)
{
    struct waiting_piece *waiting = malloc(sizeof(*waiting));

    if (waiting == NULL || assembler->error < 0 || assembler->is_closing) {
        free(waiting);
        free(piece->piece);
        close(piece->fd);
        return assembler->error < 0 ? assembler->error : -ENOMEM;
    }
    *waiting = *piece;
    if (assembler->last != NULL)
        assembler->last->next = waiting;
    else
        assembler->first = waiting;
    assembler->last = waiting;
    move_next(assembler);
    return 0;
}

int capture_assembler_add(struct capture_assembler *assembler, int fd, uint64_t bytes,
                          bool is_element, void *piece)
{
    return add_piece(assembler,
                     &(struct waiting_piece){
                         .fd = fd, .bytes = bytes, .is_element = is_element, .piece = piece });
}

int capture_assembler_add_writer(struct capture_assembler *assembler, int fd,
                                 capture_assembler_write write, void *piece)
{
    return add_piece(assembler,
                     &(struct waiting_piece){ .fd = fd, .write = write, .piece = piece });
}

uint64_t capture_assembler_bytes(const struct capture_assembler *assembler)
{
    return atomic_load_explicit(&assembler->pump.bytes, memory_order_relaxed);
}

void capture_assembler_close(struct capture_assembler *assembler)
{
    uint64_t one = 1;

    if (assembler->is_closing)
        return;
    assembler->is_closing = true;
    if (assembler->is_moving) {
        ssize_t written = write(assembler->pump.cancel_fd, &one, sizeof(one));
        (void)written; /* a fresh eventfd always takes it */
    } else {
        uv_close((uv_handle_t *)&assembler->finished, on_handle_closed);
    }
}
