#include "json/raw_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/file_range.h"

/* What is read, checked and written stays in the cache of one core meanwhile. */
enum { BATCH_BYTES = 256 * 1024 };

int raw_out_init(struct raw_out *out, json_sink_write write, void *context)
{
    *out = (struct raw_out){ .write = write, .context = context };
    return raw_out_room(out, BATCH_BYTES + CHUNK_BYTES) != NULL ? 0 : -ENOMEM;
}

void raw_out_fini(struct raw_out *out)
{
    free(out->records);
    *out = (struct raw_out){ 0 };
}

void raw_out_expect(struct raw_out *out, uint64_t count)
{
    if (out->expect != NULL)
        out->expect(out->context, count);
}

uint8_t *raw_out_room(struct raw_out *out, size_t count)
{
    size_t needed = out->used + sizeof(struct raw_record) + count;

    if (needed > out->capacity) {
        uint8_t *records = realloc(out->records, needed);
        if (records == NULL)
            return NULL;
        out->records = records;
        out->capacity = needed;
    }
    return out->records + out->used + sizeof(struct raw_record);
}

int raw_out_put(struct raw_out *out, enum raw_kind kind, size_t count)
{
    uint8_t *start = out->records + out->used;
    const struct raw_record record = { kind, raw_check(kind, start + sizeof(record), count),
                                       count };

    memcpy(start, &record, sizeof(record));
    out->used += sizeof(record) + count;
    out->bytes += sizeof(record) + count;
    return out->used >= BATCH_BYTES ? raw_out_flush(out) : 0;
}

int raw_out_flush(struct raw_out *out)
{
    size_t count = out->used;

    out->used = 0;
    return count > 0 ? out->write(out->context, (const char *)out->records, count) : 0;
}

int raw_out_put_process(struct raw_out *out, enum raw_kind kind,
                        const struct raw_process_facts *facts)
{
    uint8_t *room = raw_out_room(out, RAW_PROCESS_BYTES);

    return room != NULL ? raw_out_put(out, kind, raw_process_put(facts, room)) : -ENOMEM;
}

int raw_text_begin(int fd, bool is_first, uint64_t *bytes)
{
    const struct raw_file file = { .magic = { RAW_MAGIC_LETTERS },
                                   .version = RAW_VERSION,
                                   .arena_version = ARENA_VERSION };
    const struct raw_record later = { 0 };
    int error = is_first ? json_sink_fd(&fd, (const char *)&file, sizeof(file)) : 0;

    if (error == 0)
        error = json_sink_fd(&fd, (const char *)&later, sizeof(later));
    *bytes += (is_first ? sizeof(file) : 0) + sizeof(later);
    return error;
}

int raw_text_end(int fd, enum raw_kind kind, uint64_t bytes)
{
    size_t start = kind == RAW_HEAD ? sizeof(struct raw_file) : 0;
    size_t text = start + sizeof(struct raw_record);
    const char *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        return -errno;
    const struct raw_record record = { kind, raw_check(kind, memory + text, bytes - text),
                                       bytes - text };
    munmap((void *)memory, bytes);
    return file_range_write(fd, &record, sizeof(record), start);
}
