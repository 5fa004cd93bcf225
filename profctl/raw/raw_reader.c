#include "profctl/raw/raw_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/file_range.h"
#include "profctl/raw/raw_recovery.h"

static const char magic[8] = { RAW_MAGIC_LETTERS };

/* --- Errors --- */

__attribute__((format(printf, 2, 3))) static int refuse_input(struct raw_reader *reader,
                                                              const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(reader->error, sizeof(reader->error), format, values);
    va_end(values);
    return -EPROTO;
}

static int refuse_cut(struct raw_reader *reader)
{
    reader->is_cut = true;
    return refuse_input(reader, "it is cut short: it ends at byte %" PRIu64 ", in the middle",
                        reader->file_bytes);
}

static int read_part(struct raw_reader *reader, void *out, size_t count)
{
    if (count > reader->file_bytes - reader->offset)
        return refuse_cut(reader);
    int error = file_range_read(reader->fd, out, count, reader->offset);
    if (error == -EIO)
        return refuse_cut(reader); /* since it was measured */
    reader->offset += count;
    return error;
}

/* --- The beginning --- */

bool raw_reader_knows(int fd)
{
    char start[sizeof(magic)];
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           file_range_read(fd, start, sizeof(start), 0) == 0 &&
           memcmp(start, magic, sizeof(magic)) == 0;
}

int raw_reader_open(const char *path)
{
    struct stat status;

    /* A pipe is not for us to open: what is read of it is gone. */
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !raw_reader_knows(fd)) {
        close(fd);
        return -1;
    }
    return fd;
}

int raw_reader_init(struct raw_reader *reader, int fd)
{
    struct raw_file file = { 0 };
    struct stat status;

    *reader = (struct raw_reader){ .fd = fd, .state = RAW_AT_START };
    if (fstat(fd, &status) != 0)
        return -errno;
    reader->file_bytes = (uint64_t)status.st_size;
    int error = read_part(reader, &file, sizeof(file));
    if (error < 0)
        return error;
    if (memcmp(file.magic, magic, sizeof(magic)) != 0)
        return refuse_input(reader, "it is not a raw capture");
    if (file.version != RAW_VERSION || file.arena_version != ARENA_VERSION)
        return refuse_input(
            reader, "it is of version %" PRIu32 ".%" PRIu32 ", and this profctl reads %d.%d",
            file.version, file.arena_version, RAW_VERSION, ARENA_VERSION);
    return 0;
}

void raw_reader_fini(struct raw_reader *reader)
{
    free(reader->room);
    reader->room = NULL;
    reader->capacity = 0;
}

/* --- The order --- */

static enum raw_state state_behind(enum raw_kind kind)
{
    switch (kind) {
    case RAW_PROCESS:
    case RAW_CHUNK:
        return RAW_IN_PROCESS;
    case RAW_FRONT:
        return RAW_BEHIND_FRONT;
    case RAW_TAIL:
    case RAW_LIST:
    case RAW_END:
        return RAW_BEHIND_TAIL;
    default:
        return RAW_BETWEEN;
    }
}

static bool may_follow(enum raw_state state, uint32_t kind)
{
    switch (state) {
    case RAW_AT_START:
        return kind == RAW_HEAD;
    case RAW_BETWEEN:
        return kind == RAW_PROCESS || kind == RAW_UNPROFILED || kind == RAW_VOID ||
               kind == RAW_TAIL;
    case RAW_IN_PROCESS: /* which VOID ends as well */
        return kind == RAW_CHUNK || kind == RAW_FRONT || kind == RAW_VOID;
    case RAW_BEHIND_FRONT:
        return kind == RAW_PROCESS_END;
    case RAW_BEHIND_TAIL:
        return kind == RAW_LIST || kind == RAW_END;
    }
    return false;
}

/* --- The contents --- */

static bool has_size(const struct raw_view *record)
{
    struct raw_front front;

    switch (record->kind) {
    case RAW_PROCESS_END:
        return record->count == sizeof(struct raw_process_end);
    case RAW_VOID:
        return record->count == sizeof(struct raw_void);
    case RAW_CHUNK:
        return record->count >= sizeof(struct raw_chunk) + CHUNK_HEADER_BYTES &&
               record->count <= sizeof(struct raw_chunk) + CHUNK_BYTES;
    case RAW_FRONT:
        if (record->bytes == NULL || record->count < sizeof(front))
            return false;
        memcpy(&front, record->bytes, sizeof(front));
        return front.header_bytes == sizeof(struct arena_header) &&
               front.dictionary_bytes <= ARENA_DICTIONARY_BYTES &&
               record->count == sizeof(front) + front.header_bytes + front.dictionary_bytes;
    case RAW_LIST:
        return record->count >= sizeof(struct raw_list);
    case RAW_END:
        return record->count == 0;
    default:
        return true; /* their readers check them */
    }
}

/* The id in a record that begins with one. */
static uint64_t id_of(const struct raw_view *record)
{
    uint64_t id = 0;

    if (record->bytes != NULL && record->count >= sizeof(id))
        memcpy(&id, record->bytes, sizeof(id));
    return id;
}

static bool is_of_process(const struct raw_reader *reader, const struct raw_view *record)
{
    bool ends_one = record->kind == RAW_PROCESS_END ||
                    (record->kind == RAW_VOID && reader->state == RAW_IN_PROCESS);

    return !ends_one || id_of(record) == reader->process;
}

static int make_room(struct raw_reader *reader, size_t count)
{
    if (count <= reader->capacity && reader->room != NULL)
        return 0;
    uint8_t *room = realloc(reader->room, count + 1);
    if (room == NULL)
        return -ENOMEM;
    reader->room = room;
    reader->capacity = count;
    return 0;
}

static int check_record(struct raw_reader *reader, const struct raw_record *record,
                        const struct raw_view *view, uint64_t start)
{
    if (view->bytes != NULL && raw_check(record->kind, view->bytes, view->count) != record->check)
        return refuse_input(
            reader, "it is damaged: the checksum of the record at byte %" PRIu64 " is wrong",
            start);
    if (!has_size(view) || !is_of_process(reader, view))
        return refuse_input(reader, "the record at byte %" PRIu64 " is invalid", start);
    return 0;
}

static int read_contents(struct raw_reader *reader, struct raw_view *record)
{
    if (record->kind == RAW_CHUNK && reader->skips_chunks) {
        reader->offset += record->count;
        return 0;
    }
    int error = make_room(reader, record->count);
    if (error == 0)
        error = read_part(reader, reader->room, record->count);
    record->bytes = reader->room;
    return error;
}

static int read_next(struct raw_reader *reader, struct raw_view *out)
{
    uint64_t start = reader->offset;
    struct raw_record record = { 0 };

    int error = read_part(reader, &record, sizeof(record));
    if (error < 0)
        return error;
    if (!may_follow(reader->state, record.kind))
        return refuse_input(reader, "it is damaged: the record at byte %" PRIu64 " is out of order",
                            start);
    reader->is_cut = record.bytes > reader->file_bytes - reader->offset;
    if (reader->is_cut)
        return refuse_input(reader,
                            "it is cut short or damaged: the record at byte %" PRIu64
                            " is longer than the file",
                            start);
    *out = (struct raw_view){ .kind = (enum raw_kind)record.kind,
                              .offset = reader->offset,
                              .count = record.bytes };
    error = read_contents(reader, out);
    if (error < 0)
        return error;
    error = check_record(reader, &record, out, start);
    if (error < 0)
        return error;
    if (out->kind == RAW_PROCESS)
        reader->process = id_of(out);
    reader->state = state_behind(out->kind);
    if (out->kind != RAW_END)
        return 1;
    return reader->offset == reader->file_bytes
               ? 0
               : refuse_input(reader,
                              "there are more bytes after its end, from byte %" PRIu64 " on",
                              reader->offset);
}

/* --- Damage --- */

/* KIND is the record behind the damage. */
static enum raw_state state_before(enum raw_kind kind)
{
    return kind == RAW_LIST || kind == RAW_END ? RAW_BEHIND_TAIL : RAW_BETWEEN;
}

/* What cannot be read at START, in STATE, is passed, unless somebody made it so: then its check is
 * right. ERROR is what was said of it. */
static int pass_damage(struct raw_reader *reader, uint64_t start, int error, struct raw_view *out)
{
    enum raw_kind kind;
    uint64_t next;

    int found = raw_recovery_is_sound(reader->fd, reader->file_bytes, start);
    if (found != 0)
        return found < 0 ? found : error;
    found = raw_recovery_find(reader->fd, reader->file_bytes, start, &next, &kind);
    reader->is_cut = found == 0;
    if (found <= 0)
        return found < 0 ? found : error;
    if (reader->state == RAW_BEHIND_TAIL && state_before(kind) != RAW_BEHIND_TAIL)
        return error;
    *out = (struct raw_view){
        .offset = start,
        .count = next - start,
        .is_damaged = true,
        .is_of_process = reader->state == RAW_IN_PROCESS || reader->state == RAW_BEHIND_FRONT,
    };
    reader->error[0] = '\0';
    reader->offset = next;
    reader->state = state_before(kind);
    return 1;
}

int raw_reader_next(struct raw_reader *reader, struct raw_view *out)
{
    uint64_t start = reader->offset;

    int more = read_next(reader, out);
    return more == -EPROTO && reader->passes_damage ? pass_damage(reader, start, more, out) : more;
}
