/* An event loop that is mostly quick, and now and then is not: what eventDelay is there to find.
 *
 *     profctl run -o out.json -- event-loop [SECONDS]
 *
 * A timer handles a small piece of work every 10 ms. Every 50th piece is written to the disk and
 * waited for, in the loop's own thread, which nobody would notice from CPU samples: the thread
 * sleeps meanwhile. Open out.json and look at the track of the main thread. */
#include <profd_uv.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE_MS = 10, PIECES_PER_CHECKPOINT = 50, CHECKPOINT_BYTES = 1 << 20, CHECKPOINTS = 16 };

struct service {
    uv_timer_t work, end;
    struct profd_uv watch;
    FILE *journal;
    unsigned pieces;
    unsigned sum;
};

static void work_on_a_piece(struct service *service)
{
    PROFD_LABEL_SCOPE("piece of work", PROFD_CATEGORY_COMPUTE);
    for (unsigned i = 0; i < 100000; i++)
        service->sum += i * service->sum + 1;
}

/* The mistake: the whole loop waits for the disk. */
static void write_checkpoint(struct service *service)
{
    static const char zeros[CHECKPOINT_BYTES];
    PROFD_LABEL_SCOPE("checkpoint", PROFD_CATEGORY_DISK);
    uint64_t start = PROFD_NOW();
    for (int i = 0; i < CHECKPOINTS; i++) {
        rewind(service->journal);
        if (fwrite(zeros, sizeof(zeros), 1, service->journal) != 1 ||
            fflush(service->journal) != 0 || fsync(fileno(service->journal)) != 0)
            perror("event-loop: checkpoint");
    }
    PROFD_MARKER_INTERVAL("checkpoint", PROFD_CATEGORY_DISK, start, NULL);
}

static void on_work(uv_timer_t *timer)
{
    struct service *service = timer->data;
    work_on_a_piece(service);
    if (++service->pieces % PIECES_PER_CHECKPOINT == 0)
        write_checkpoint(service);
}

static void on_end(uv_timer_t *timer)
{
    struct service *service = timer->data;
    uv_close((uv_handle_t *)&service->work, NULL);
    uv_close((uv_handle_t *)&service->end, NULL);
    profd_uv_end(&service->watch, NULL);
}

/* 0 or an error of libuv. */
static int run(struct service *service, uint64_t end_ms)
{
    uv_loop_t *loop = uv_default_loop();
    int error = profd_uv_begin(&service->watch, loop);
    if (error == 0)
        error = uv_timer_init(loop, &service->work);
    if (error == 0)
        error = uv_timer_init(loop, &service->end);
    if (error < 0)
        return error;
    service->work.data = service->end.data = service;
    error = uv_timer_start(&service->work, on_work, PIECE_MS, PIECE_MS);
    if (error == 0)
        error = uv_timer_start(&service->end, on_end, end_ms, 0);
    if (error < 0)
        return error;
    (void)uv_run(loop, UV_RUN_DEFAULT); /* until on_end() has closed everything */
    return uv_loop_close(loop);
}

int main(int argc, char **argv)
{
    static struct service service;
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
    service.journal = tmpfile();
    if (service.journal == NULL) {
        perror("event-loop: temporary file");
        return 1;
    }
    int error = run(&service, seconds > 0 ? (uint64_t)(seconds * 1000) : 0);
    if (error < 0)
        fprintf(stderr, "event-loop: %s\n", uv_strerror(error));
    fclose(service.journal);
    return error < 0 ? 1 : 0;
}
