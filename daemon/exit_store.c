#include "daemon/exit_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/compact_arena.h"
#include "daemon/log.h"

/* A copy under way. */
struct exit_copy {
    uv_work_t work;
    struct exit_store *store;
    struct exit_record *record; /* owned until kept */
    struct compact_plan plan;
    int arena_fd, store_fd; /* both owned */
    unsigned file_number;
    int error;
    exit_store_on_kept on_kept;
};

void exit_store_init(struct exit_store *store, uv_loop_t *loop, uint64_t memory_limit_bytes,
                     void (*on_dropped)(void *owner))
{
    *store = (struct exit_store){
        .loop = loop,
        .fd = -1,
        .memory_limit_bytes = memory_limit_bytes,
        .record_limit = EXIT_STORE_MAX_RECORDS,
        .on_dropped = on_dropped,
    };
}

static void punch(const struct exit_store *store, const struct exit_record *record)
{
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

    if (fallocate(store->fd, mode, (off_t)record->offset, (off_t)record->bytes) < 0)
        log_warn("memory of a dropped exit profile stays in use: fallocate failed (%d)", errno);
}

static bool is_over_limit(const struct exit_store *store)
{
    return store->records > store->record_limit || store->memory_bytes > store->memory_limit_bytes;
}

static void drop_oldest(struct exit_store *store)
{
    struct exit_record *record = store->first;

    store->first = record->next;
    if (store->first == NULL)
        store->last = NULL;
    store->records--;
    store->memory_bytes -= record->memory_bytes;
    store->dropped_records++;
    store->dropped_bytes += record->memory_bytes;
    punch(store, record);
    store->on_dropped(record->owner);
    free(record);
}

static void make_room(struct exit_store *store)
{
    bool was_first = store->dropped_records == 0;

    while (!store->is_pinned && store->first != NULL && is_over_limit(store))
        drop_oldest(store);
    if (was_first && store->dropped_records > 0)
        log_warn("the oldest profiles of ended processes are being dropped: more than %u of them, "
                 "or more than %llu MB",
                 store->record_limit, (unsigned long long)store->memory_limit_bytes >> 20);
}

static void append(struct exit_store *store, struct exit_record *record)
{
    if (store->last != NULL)
        store->last->next = record;
    else
        store->first = record;
    store->last = record;
    store->records++;
    store->memory_bytes += record->memory_bytes;
}

static void copy_on_worker(uv_work_t *work)
{
    struct exit_copy *copy = work->data;

    copy->error = compact_copy(copy->arena_fd, &copy->plan, copy->store_fd, copy->record->offset,
                               &copy->record->memory_bytes);
}

static void on_copied(uv_work_t *work, int status)
{
    struct exit_copy *copy = work->data;
    struct exit_store *store = copy->store;
    struct exit_record *record = copy->record;
    void *owner = record->owner;
    int error = status < 0 ? status : copy->error;

    if (copy->file_number != store->file_number)
        error = -ECANCELED;

    close(copy->arena_fd);
    close(copy->store_fd);
    store->copying--;
    if (error < 0) {
        if (error != -ECANCELED) {
            store->failed_records++;
            punch(store, record); /* what was copied before it failed */
        }
        free(record);
        record = NULL;
    } else {
        append(store, record);
    }
    copy->on_kept(record, error, owner);
    free(copy);
    make_room(store);
}

/* Each session has a file of its own, so that a late copy of the last one can't land in it. */
static int open_file(struct exit_store *store)
{
    if (store->fd >= 0)
        return 0;
    store->fd = memfd_create("profd-exit-profiles", MFD_CLOEXEC);
    return store->fd < 0 ? -errno : 0;
}

static int begin_copy(struct exit_store *store, struct exit_copy *copy)
{
    int error = compact_plan_read(copy->arena_fd, &copy->plan);
    if (error == 0)
        error = open_file(store);
    if (error < 0)
        return error;

    copy->store_fd = fcntl(store->fd, F_DUPFD_CLOEXEC, 0);
    if (copy->store_fd < 0)
        return -errno;
    copy->record->offset = store->end_offset;
    copy->record->bytes = copy->plan.header.total_bytes;
    /* The reader maps the whole part: a hole at its end must be in the file too. */
    if (ftruncate(store->fd, (off_t)(copy->record->offset + copy->record->bytes)) < 0)
        return -errno;
    copy->work.data = copy;
    error = uv_queue_work(store->loop, &copy->work, copy_on_worker, on_copied);
    if (error < 0)
        return error;
    store->end_offset += (copy->record->bytes + 4095) & ~4095ULL;
    store->copying++;
    return 0;
}

int exit_store_keep(struct exit_store *store, int arena_fd, exit_store_on_kept on_kept, void *owner)
{
    struct exit_copy *copy = calloc(1, sizeof(*copy));
    struct exit_record *record = calloc(1, sizeof(*record));
    int error = -ENOMEM;

    if (copy != NULL && record != NULL) {
        *copy = (struct exit_copy){ .store = store,
                                    .record = record,
                                    .arena_fd = arena_fd,
                                    .store_fd = -1,
                                    .file_number = store->file_number,
                                    .on_kept = on_kept };
        record->owner = owner;
        error = begin_copy(store, copy);
        if (error == 0)
            return 0;
        if (copy->store_fd >= 0)
            close(copy->store_fd);
    }
    store->failed_records++;
    free(copy);
    free(record);
    close(arena_fd);
    return error;
}

void exit_store_pin(struct exit_store *store)
{
    store->is_pinned = true;
}

void exit_store_unpin(struct exit_store *store)
{
    store->is_pinned = false;
    make_room(store);
}

void exit_store_clear(struct exit_store *store)
{
    while (store->first != NULL) {
        struct exit_record *record = store->first;
        store->first = record->next;
        free(record);
    }
    store->last = NULL;
    store->records = 0;
    store->memory_bytes = 0;
    store->dropped_records = 0;
    store->dropped_bytes = 0;
    store->failed_records = 0;
    store->end_offset = 0;
    store->file_number++;
    if (store->fd >= 0)
        close(store->fd);
    store->fd = -1;
}

void exit_store_destroy(struct exit_store *store)
{
    exit_store_clear(store);
}
