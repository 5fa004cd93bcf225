#include "daemon/memory/exit_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/file_range.h"
#include "daemon/log.h"
#include "daemon/memory/compact_arena.h"

enum { PAGE_BYTES = 4096, BLOCK_BYTES = 512 };

/* What a record without chunks ages by: all of it. */
#define SLOT_OF_ALL UINT32_MAX

_Static_assert(EXIT_STORE_MOVERS *COMPACT_EXTRA_BYTES <= EXIT_STORE_SPARE_UNITS * LEASE_UNIT_BYTES,
               "the spare units pay for what movers have twice");

/* Each session has a file of its own, so that a late move of the last one cannot land in it. */
struct exit_file {
    int fd;
    unsigned users; /* the store, and moves into it */
};

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
        .ledger = ledger,
        .controller = controller,
        .on_expired = on_expired,
    };
}

/* --- The file --- */

static int open_file(struct exit_store *store)
{
    if (store->file != NULL)
        return 0;
    struct exit_file *file = malloc(sizeof(*file));
    if (file == NULL)
        return -ENOMEM;
    *file = (struct exit_file){ memfd_create("profd-exit-profiles", MFD_CLOEXEC), 1 };
    if (file->fd < 0) {
        free(file);
        return -errno;
    }
    store->file = file;
    store->end_offset = 0;
    return 0;
}

static void release_file(struct exit_file *file)
{
    if (file == NULL || --file->users > 0)
        return;
    close(file->fd);
    free(file);
}

int exit_store_fd(const struct exit_store *store)
{
    return store->file != NULL ? store->file->fd : -1;
}

uint64_t exit_store_kernel_bytes(const struct exit_store *store)
{
    struct stat status;

    if (store->file == NULL || fstat(store->file->fd, &status) < 0)
        return 0;
    return (uint64_t)status.st_blocks * BLOCK_BYTES;
}

static void punch(const struct exit_file *file, uint64_t offset, uint64_t bytes)
{
    int error = file_range_punch(file->fd, offset, bytes);

    if (error < 0)
        log_warn("memory of a dropped exit profile stays in use: fallocate failed (%d)", -error);
}

/* --- The lease --- */

static uint32_t units_for(uint64_t bytes)
{
    return (uint32_t)((bytes + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES);
}

/* The ledger is closed before the last move ends, when profd does. */
static bool has_ledger(const struct exit_store *store)
{
    return store->ledger->header != NULL;
}

/* Takes up to COUNT units of those that are free; returns how many. */
static uint32_t take_units(struct exit_store *store, uint32_t count)
{
    uint32_t taken = 0, unit;

    while (taken < count && lease_take(store->ledger, LEASE_OWNER_EXITS, LEASE_TO_GROW, &unit) == 0)
        taken++;
    store->units += taken;
    return taken;
}

void exit_store_settle(struct exit_store *store)
{
    uint32_t needed =
        units_for(store->memory_bytes) + store->arriving_units + EXIT_STORE_SPARE_UNITS;

    if (!has_ledger(store))
        return;
    if (store->units < needed)
        take_units(store, needed - store->units);
    else if (store->units > needed)
        store->units -=
            lease_move(store->ledger, LEASE_OWNER_EXITS, LEASE_OWNER_NOBODY, store->units - needed);
}

/* What the copy takes at most. The arena may have more memory than was ever recorded into: valgrind
 * reads all that its program has mapped, holes of files too. */
static uint32_t units_of_copy(const struct exit_move *move)
{
    struct stat status;

    if (fstat(move->arena_fd, &status) < 0)
        return 0;
    uint64_t bytes = (uint64_t)status.st_blocks * BLOCK_BYTES;
    uint64_t most_bytes = move->plan.header.total_bytes;
    return units_for(bytes < most_bytes ? bytes : most_bytes);
}

/* Makes the dead process's units the store's. One that had not leased what its arena takes (it was
 * there before the ledger) gets what is free. */
static int bring_units(struct exit_store *store, struct exit_move *move)
{
    if (!has_ledger(store))
        return -ECANCELED;
    if (move->lease > LEASE_OWNER_EXITS)
        move->units = lease_move(store->ledger, move->lease, LEASE_OWNER_EXITS, UINT32_MAX);
    store->units += move->units;
    uint32_t needed = units_of_copy(move);
    if (move->units < needed)
        move->units += take_units(store, needed - move->units);
    store->arriving_units += move->units;
    return move->units < needed ? -ENOSPC : 0;
}

/* --- Records --- */

static void link_in(struct exit_store *store, struct exit_record *record)
{
    record->previous = NULL;
    record->next = store->first;
    if (store->first != NULL)
        store->first->previous = record;
    store->first = record;
    store->records++;
}

static void link_out(struct exit_store *store, struct exit_record *record)
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
    link_out(store, record);
    store->memory_bytes -= record->memory_bytes;
    free(record);
}

/* What RECORD's header says; nothing when it cannot be read. */
static void read_account(const struct exit_store *store, const struct exit_record *record,
                         struct block_account *out)
{
    struct arena_header header;

    *out = (struct block_account){ 0 };
    if (pread(store->file->fd, &header, sizeof(header), (off_t)record->offset) == sizeof(header))
        block_account_of(&header, out);
}

static void expire(struct exit_store *store, struct exit_record *record)
{
    struct block_account account;

    read_account(store, record, &account);
    punch(store->file, record->offset, record->bytes);
    store->expired_records++;
    if (store->expired_records == 1)
        log_info("profiles of ended processes begin to expire: the memory limit holds no more");
    store->on_expired(record->owner, &account);
    free_record(store, record);
}

/* Counts the chunk at OFFSET in RECORD's own header, so that its profile tells what it lost. */
static int count_chunk(const struct exit_store *store, const struct exit_record *record,
                       uint64_t offset)
{
    struct arena_header header;
    struct chunk chunk;
    int fd = store->file->fd;

    if (pread(fd, &header, sizeof(header), (off_t)record->offset) != sizeof(header) ||
        pread(fd, &chunk, sizeof(chunk), (off_t)(record->offset + offset)) != sizeof(chunk))
        return -EIO;
    if (atomic_load(&chunk.state) != CHUNK_RELEASED) /* its writer ended before it gave it back */
        arena_count_closed_chunk(&header, &chunk);
    arena_count_recycled_chunk(&header, &chunk);
    if (pwrite(fd, &header, sizeof(header), (off_t)record->offset) != sizeof(header))
        return -EIO;
    return 0;
}

static int chunk_offset(const struct exit_store *store, const struct exit_record *record,
                        uint32_t slot, uint64_t *offset)
{
    struct arena_header header;

    if (pread(store->file->fd, &header, sizeof(header), (off_t)record->offset) != sizeof(header))
        return -EIO;
    *offset = header.chunks_offset + (uint64_t)slot * CHUNK_BYTES;
    return 0;
}

void exit_store_drop(struct exit_store *store, struct memory_source *source, uint32_t slot)
{
    struct exit_record *record = source->owner;
    bool is_one = slot != SLOT_OF_ALL;
    uint64_t offset = 0;

    int error = is_one ? chunk_offset(store, record, slot, &offset) : 0;
    if (error == 0 && is_one)
        error = count_chunk(store, record, offset);
    if (error < 0)
        log_warn("a dropped chunk is not counted in its profile: %s", uv_strerror(error));
    if (source->chunks.count == 0) {
        expire(store, record);
        return;
    }
    if (error == 0 && is_one)
        punch(store->file, record->offset + offset, CHUNK_BYTES);
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
    link_in(store, record);
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
            punch(store->file, record->offset, record->bytes); /* what came before it failed */
        free(record);
        record = NULL;
    }
    close(move->arena_fd);
    store->moving--;
    store->arriving_units -= move->units;
    exit_store_settle(store);
    move->on_kept(record, error, owner);
    chunk_ages_free(&move->result.chunks);
    release_file(move->file);
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

static int place(struct exit_store *store, struct exit_move *move)
{
    struct exit_record *record = move->record;

    if (move->file != store->file)
        return -ECANCELED;
    int error = bring_units(store, move);
    if (error < 0)
        return error;
    record->offset = store->end_offset;
    record->bytes = move->plan.header.total_bytes;
    /* The reader maps the whole part: a hole at its end must be in the file too. */
    if (ftruncate(store->file->fd, (off_t)(record->offset + record->bytes)) < 0)
        return -errno;
    store->end_offset += (record->bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    return 0;
}

static void start_next(struct exit_store *store)
{
    while (store->moving < EXIT_STORE_MOVERS && store->first_waiting != NULL) {
        struct exit_move *move = store->first_waiting;
        store->first_waiting = move->next;
        store->moving++;
        move->error = place(store, move);
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
    if (error == 0)
        error = open_file(store);
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
    move->file->users++;
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
    release_file(store->file);
    store->file = NULL;
    exit_store_settle(store);
}

void exit_store_destroy(struct exit_store *store)
{
    exit_store_clear(store);
}
