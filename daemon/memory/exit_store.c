#include "daemon/memory/exit_store.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/memory/compact_arena.h"
#include "daemon/memory/exit_file.h"

enum { BLOCK_BYTES = 512 };

/* What a record without chunks ages by: all of it. */
#define SLOT_OF_ALL UINT32_MAX

_Static_assert(EXIT_STORE_MOVERS *COMPACT_EXTRA_BYTES <= EXIT_LEASE_SPARE_UNITS * LEASE_UNIT_BYTES,
               "the spare units pay for what movers have twice");

/* A move that waits or is under way. */
struct exit_move {
    uv_work_t work;
    struct exit_store *store;
    struct exit_record *record; /* owned until kept */
    struct exit_file *file;
    struct compact_plan plan;
    struct compact_result result;
    int arena_fd; /* owned */
    lease_owner lease;
    uint32_t units; /* that it brought */
    uint64_t end_ns;
    int error;
    exit_store_on_kept on_kept;
    struct exit_move *next;
};

void exit_store_init(struct exit_store *store, uv_loop_t *loop, struct lease_ledger *ledger,
                     struct memory_controller *controller,
                     void (*on_expired)(void *owner, const struct block_account *account))
{
    *store = (struct exit_store){
        .loop = loop,
        .lease = { .ledger = ledger },
        .controller = controller,
        .on_expired = on_expired,
    };
}

int exit_store_fd(const struct exit_store *store)
{
    return store->file != NULL ? store->file->reading_fd : -1;
}

uint64_t exit_store_kernel_bytes(const struct exit_store *store)
{
    return store->file != NULL ? exit_file_kernel_bytes(store->file) : 0;
}

void exit_store_settle(struct exit_store *store)
{
    exit_lease_settle(&store->lease, store->memory_bytes);
}

/* --- Records --- */

static void link_record(struct exit_store *store, struct exit_record *record)
{
    record->previous = NULL;
    record->next = store->first;
    if (store->first != NULL)
        store->first->previous = record;
    store->first = record;
    store->records++;
}

static void unlink_record(struct exit_store *store, struct exit_record *record)
{
    if (record->previous != NULL)
        record->previous->next = record->next;
    else
        store->first = record->next;
    if (record->next != NULL)
        record->next->previous = record->previous;
    store->records--;
}

/* Gives RECORD's chunks to the controller. */
static int add_source(struct exit_store *store, struct exit_record *record, struct exit_move *move)
{
    int error = memory_controller_add(store->controller, &record->source, MEMORY_OF_EXIT,
                                      UINT64_MAX, record);
    if (error < 0)
        return error;
    if (move->result.chunks.count == 0)
        error = chunk_ages_push_back(&move->result.chunks, (struct chunk_age){
                                                               .done_ns = move->end_ns,
                                                               .slot = SLOT_OF_ALL,
                                                           });
    if (error < 0) {
        memory_controller_remove(store->controller, &record->source);
        return error;
    }
    memory_controller_set_chunks(store->controller, &record->source, &move->result.chunks);
    memory_controller_set_bytes(store->controller, &record->source, record->memory_bytes);
    return 0;
}

static void free_record(struct exit_store *store, struct exit_record *record)
{
    memory_controller_remove(store->controller, &record->source);
    unlink_record(store, record);
    store->memory_bytes -= record->memory_bytes;
    free(record);
}

static void expire_record(struct exit_store *store, struct exit_record *record)
{
    struct block_account account;

    exit_file_read_account(store->file, record->offset, &account);
    exit_file_punch(store->file, record->offset, record->bytes);
    store->expired_records++;
    if (store->expired_records == 1)
        log_info("memory limit reached; dropping the oldest profiles of ended processes");
    store->on_expired(record->owner, &account);
    free_record(store, record);
}

void exit_store_drop(struct exit_store *store, struct memory_source *source, uint32_t slot)
{
    struct exit_record *record = source->owner;
    int error = slot != SLOT_OF_ALL ? exit_file_drop_chunk(store->file, record->offset, slot) : 0;

    if (error < 0)
        log_warn("cannot count a dropped chunk in its profile: %s", uv_strerror(error));
    if (source->chunks.count == 0) {
        expire_record(store, record);
        return;
    }
    /* The controller took it off what the record counts for. */
    store->memory_bytes -= record->memory_bytes - source->bytes;
    record->memory_bytes = source->bytes;
}

void exit_store_hold(struct exit_store *store, struct exit_record *record, bool is_held)
{
    memory_controller_hold(store->controller, &record->source, is_held);
}

/* --- Moving --- */

static void start_next(struct exit_store *store);

static void move_on_worker(uv_work_t *work)
{
    struct exit_move *move = work->data;

    move->error =
        compact_move(move->arena_fd, &move->plan, move->file->fd, move->record->offset,
                     move->end_ns, (uint64_t)move->units * LEASE_UNIT_BYTES, &move->result);
}

static int keep_moved(struct exit_store *store, struct exit_move *move)
{
    struct exit_record *record = move->record;

    record->memory_bytes = move->result.memory_bytes;
    int error = add_source(store, record, move);
    if (error < 0)
        return error;
    link_record(store, record);
    store->memory_bytes += record->memory_bytes;
    return 0;
}

static void finish_move(struct exit_move *move, int error)
{
    struct exit_store *store = move->store;
    struct exit_record *record = move->record;
    void *owner = record->owner;

    if (error == 0 && move->file != store->file)
        error = -ECANCELED;
    if (error == 0)
        error = keep_moved(store, move);
    if (error < 0) {
        if (error != -ECANCELED)
            store->failed_records++;
        if (move->file == store->file && record->bytes > 0)
            exit_file_punch(store->file, record->offset,
                            record->bytes); /* what came before it failed */
        free(record);
        record = NULL;
    }
    close(move->arena_fd);
    store->moving--;
    exit_lease_arrived(&store->lease, move->units);
    exit_store_settle(store);
    move->on_kept(record, error, owner);
    chunk_ages_free(&move->result.chunks);
    exit_file_unref(move->file);
    free(move);
    start_next(store);
}

static void on_moved(uv_work_t *work, int status)
{
    struct exit_move *move = work->data;
    finish_move(move, status < 0 ? status : move->error);
}

/* Nothing was to be moved: what went wrong is told from the loop all the same. */
static void nothing_on_worker(uv_work_t *work)
{
    (void)work;
}

/* What the copy takes at most. The arena may have more memory than was ever recorded into: valgrind
 * reads all that its program has mapped, holes of files too. */
static uint64_t bytes_of_copy(const struct exit_move *move)
{
    struct stat status;

    if (fstat(move->arena_fd, &status) < 0)
        return 0;
    uint64_t bytes = (uint64_t)status.st_blocks * BLOCK_BYTES;
    uint64_t most_bytes = move->plan.header.total_bytes;
    return bytes < most_bytes ? bytes : most_bytes;
}

static int place_record(struct exit_store *store, struct exit_move *move)
{
    struct exit_record *record = move->record;

    if (move->file != store->file)
        return -ECANCELED;
    int error = exit_lease_bring(&store->lease, move->lease, bytes_of_copy(move), &move->units);
    if (error < 0)
        return error;
    error = exit_file_append(store->file, move->plan.header.total_bytes, &record->offset);
    if (error == 0)
        record->bytes = move->plan.header.total_bytes;
    return error;
}

static void start_next(struct exit_store *store)
{
    while (store->moving < EXIT_STORE_MOVERS && store->first_waiting != NULL) {
        struct exit_move *move = store->first_waiting;
        store->first_waiting = move->next;
        store->moving++;
        move->error = place_record(store, move);
        /* Fails only for want of a function. */
        (void)uv_queue_work(store->loop, &move->work,
                            move->error == 0 ? move_on_worker : nothing_on_worker, on_moved);
    }
    if (store->first_waiting == NULL)
        store->last_waiting = NULL;
}

static void wait_in_line(struct exit_store *store, struct exit_move *move)
{
    if (store->last_waiting != NULL)
        store->last_waiting->next = move;
    else
        store->first_waiting = move;
    store->last_waiting = move;
}

int exit_store_keep(struct exit_store *store, int arena_fd, lease_owner lease, uint64_t end_ns,
                    exit_store_on_kept on_kept, void *owner)
{
    struct exit_move *move = calloc(1, sizeof(*move));
    struct exit_record *record = calloc(1, sizeof(*record));
    int error = move != NULL && record != NULL ? 0 : -ENOMEM;

    if (error == 0)
        error = compact_plan_read(arena_fd, &move->plan);
    if (error == 0 && store->file == NULL)
        error = exit_file_create(&store->file);
    if (error < 0) {
        store->failed_records++;
        free(move);
        free(record);
        close(arena_fd);
        return error;
    }
    record->owner = owner;
    move->work.data = move;
    move->store = store;
    move->record = record;
    move->file = store->file;
    exit_file_ref(move->file);
    move->arena_fd = arena_fd;
    move->lease = lease;
    move->end_ns = end_ns;
    move->on_kept = on_kept;
    wait_in_line(store, move);
    start_next(store);
    return 0;
}

/* --- The end --- */

void exit_store_clear(struct exit_store *store)
{
    struct exit_record *next;

    for (struct exit_record *record = store->first; record != NULL; record = next) {
        next = record->next;
        free_record(store, record);
    }
    store->expired_records = 0;
    store->failed_records = 0;
    exit_file_unref(store->file);
    store->file = NULL;
    exit_store_settle(store);
}

void exit_store_destroy(struct exit_store *store)
{
    exit_store_clear(store);
}
