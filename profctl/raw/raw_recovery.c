#include "profctl/raw/raw_recovery.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/arena.h"
#include "buffer/file_range.h"

enum {
    WINDOW_BYTES = 256 * 1024,
    /* What looks like a record is read to its end: so often all of the file at most. */
    MOST_READ = 4,
};

struct recovery {
    int fd;
    uint64_t file_bytes;
    uint64_t read_bytes; /* of what looked like records */
    uint8_t *window;
    uint8_t *room; /* for one of these */
    size_t capacity;
};

/* --- One record --- */

static bool is_within(uint64_t bytes, uint64_t fewest, uint64_t most)
{
    return bytes >= fewest && bytes <= most;
}

/* Whether profd writes such a record. HEAD is none that anything goes on with. */
static bool is_plausible(const struct raw_record *record)
{
    switch (record->kind) {
    case RAW_PROCESS:
    case RAW_UNPROFILED:
        return is_within(record->bytes, sizeof(struct raw_process), RAW_PROCESS_BYTES);
    case RAW_FRONT:
        return is_within(record->bytes, sizeof(struct raw_front) + sizeof(struct arena_header),
                         sizeof(struct raw_front) + sizeof(struct arena_header) +
                             ARENA_DICTIONARY_BYTES);
    case RAW_CHUNK:
        return is_within(record->bytes, sizeof(struct raw_chunk) + CHUNK_HEADER_BYTES,
                         sizeof(struct raw_chunk) + CHUNK_BYTES);
    case RAW_PROCESS_END:
        return record->bytes == sizeof(struct raw_process_end);
    case RAW_VOID:
        return record->bytes == sizeof(struct raw_void);
    case RAW_LIST:
        return record->bytes >= sizeof(struct raw_list);
    case RAW_TAIL:
        return true;
    case RAW_END:
        return record->bytes == 0;
    default:
        return false;
    }
}

static int make_room(struct recovery *recovery, size_t count)
{
    if (recovery->room != NULL && count <= recovery->capacity)
        return 0;
    uint8_t *room = realloc(recovery->room, count + 1);
    if (room == NULL)
        return -ENOMEM;
    recovery->room = room;
    recovery->capacity = count;
    return 0;
}

/* Whether RECORD, whose contents begin at OFFSET, is what was written. Negative: an error. */
static int is_record_sound(struct recovery *recovery, const struct raw_record *record,
                           uint64_t offset)
{
    if (!is_plausible(record) || record->bytes > recovery->file_bytes - offset ||
        recovery->read_bytes / MOST_READ > recovery->file_bytes)
        return 0;
    int error = make_room(recovery, record->bytes);
    if (error == 0)
        error = file_range_read(recovery->fd, recovery->room, record->bytes, offset);
    recovery->read_bytes += record->bytes;
    if (error < 0)
        return error;
    return raw_check(record->kind, recovery->room, record->bytes) == record->check;
}

static int read_record(const struct recovery *recovery, uint64_t at, struct raw_record *record)
{
    *record = (struct raw_record){ 0 };
    if (at > recovery->file_bytes || recovery->file_bytes - at < sizeof(*record))
        return 0;
    int error = file_range_read(recovery->fd, record, sizeof(*record), at);
    return error < 0 ? error : 1;
}

static int read_sound_record(struct recovery *recovery, uint64_t at, struct raw_record *record)
{
    int found = read_record(recovery, at, record);

    return found > 0 ? is_record_sound(recovery, record, at + sizeof(*record)) : found;
}

/* --- At any byte --- */

/* In the COUNT bytes of the window, which stand at BASE. */
static int scan_window(struct recovery *recovery, uint64_t base, size_t count, uint64_t *at,
                       struct raw_record *record)
{
    int found = 0;

    for (size_t i = 0; i + sizeof(*record) <= count && found == 0; i++) {
        memcpy(record, recovery->window + i, sizeof(*record));
        *at = base + i;
        found = is_record_sound(recovery, record, *at + sizeof(*record));
    }
    return found;
}

static int scan_file(struct recovery *recovery, uint64_t from, uint64_t *at,
                     struct raw_record *record)
{
    int found = 0;

    while (found == 0 && from < recovery->file_bytes &&
           recovery->file_bytes - from >= sizeof(*record)) {
        uint64_t rest = recovery->file_bytes - from;
        size_t count = rest < WINDOW_BYTES ? (size_t)rest : WINDOW_BYTES;
        found = file_range_read(recovery->fd, recovery->window, count, from);
        if (found == 0)
            found = scan_window(recovery, from, count, at, record);
        from += count - (sizeof(*record) - 1);
    }
    return found;
}

/* --- From the damage on --- */

/* Those of a process whose own record is lost are of no use. */
static bool needs_one_before(uint32_t kind)
{
    return kind == RAW_CHUNK || kind == RAW_FRONT || kind == RAW_PROCESS_END;
}

static int find_record(struct recovery *recovery, uint64_t damaged, uint64_t *at,
                       struct raw_record *record)
{
    uint64_t scanned = damaged + 1;
    int found = read_record(recovery, damaged, record);

    /* Most likely what it says of its length is right. */
    *at = damaged + sizeof(*record) + record->bytes;
    while (found >= 0) {
        found = *at > damaged ? read_sound_record(recovery, *at, record) : 0;
        if (found == 0)
            found = scan_file(recovery, scanned, at, record);
        if (found <= 0 || !needs_one_before(record->kind))
            break;
        *at += sizeof(*record) + record->bytes;
        scanned = *at;
    }
    return found;
}

int raw_recovery_find(int fd, uint64_t file_bytes, uint64_t damaged, uint64_t *at,
                      enum raw_kind *kind)
{
    struct recovery recovery = { .fd = fd, .file_bytes = file_bytes };
    struct raw_record record = { 0 };
    int found = -ENOMEM;

    recovery.window = malloc(WINDOW_BYTES);
    if (recovery.window != NULL)
        found = find_record(&recovery, damaged, at, &record);
    *kind = (enum raw_kind)record.kind;
    free(recovery.window);
    free(recovery.room);
    return found;
}

int raw_recovery_is_sound(int fd, uint64_t file_bytes, uint64_t at)
{
    struct recovery recovery = { .fd = fd, .file_bytes = file_bytes };
    struct raw_record record;
    int sound = read_sound_record(&recovery, at, &record);

    free(recovery.room);
    return sound;
}
