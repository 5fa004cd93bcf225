#include <errno.h>
#include <string.h>

#include "profctl/symbols/jit_lists.h"

enum {
    DUMP_MAGIC = 0x4a695444, /* "JiTD" */
    RECORD_LOAD = 0,
    NAME_BYTES = 2048,
};

struct dump_header {
    uint32_t magic, version, bytes, machine, padding, pid;
    uint64_t timestamp, flags;
};

struct record_header {
    uint32_t id, bytes; /* bytes: with this header */
    uint64_t timestamp;
};

struct load_record {
    uint32_t pid, tid;
    uint64_t address_in_file, address, bytes, index;
    /* the name, terminated, and the code follow */
};

static bool read_all(FILE *file, void *out, size_t bytes)
{
    return fread(out, 1, bytes, file) == bytes;
}

/* A name that is not terminated within its record ends with that. */
static int take_load(FILE *file, size_t body_bytes, struct jit_code *code)
{
    struct load_record load;
    char name[NAME_BYTES];
    size_t room;

    if (body_bytes < sizeof(load) || !read_all(file, &load, sizeof(load)))
        return -ENODATA;
    room = body_bytes - sizeof(load) < sizeof(name) ? body_bytes - sizeof(load) : sizeof(name);
    if (!read_all(file, name, room))
        return -ENODATA;
    return jit_code_add(code, load.address, load.bytes, name, strnlen(name, room));
}

/* -ENODATA at the end, or where the dump is damaged. */
static int take_record(FILE *file, struct jit_code *code)
{
    struct record_header header;
    off_t start = ftello(file);
    int error = 0;

    if (start < 0 || (uint64_t)start >= JIT_MAX_FILE_BYTES ||
        !read_all(file, &header, sizeof(header)) || header.bytes < sizeof(header))
        return -ENODATA;
    if (header.id == RECORD_LOAD)
        error = take_load(file, header.bytes - sizeof(header), code);
    if (error < 0)
        return error;
    return fseeko(file, start + (off_t)header.bytes, SEEK_SET) == 0 ? 0 : -ENODATA;
}

int jit_read_dump(FILE *file, struct jit_code *code)
{
    struct dump_header header;
    int error;

    if (!read_all(file, &header, sizeof(header)) || header.magic != DUMP_MAGIC ||
        header.bytes < sizeof(header) || fseeko(file, (off_t)header.bytes, SEEK_SET) != 0)
        return -EPROTO;
    do
        error = take_record(file, code);
    while (error == 0);
    return error == -ENODATA ? 0 : error;
}
