/* Libraries, sorted and without overlaps, as the loader wants them. */
#include <string.h>

#include "json/gecko_context.h"

enum {
    BUILD_ID_MAX_BYTES = 64,
    GUID_BYTES = 16,
};

/* What a double holds exactly; nothing is mapped above in user space. */
static const uint64_t largest_address = UINT64_C(1) << 53;

/* Moves LIBRARY, the one at COUNT, to where its start belongs among the sorted ones before it. A
 * later one takes the place of those that it overlaps: they were unmapped before it came. */
static size_t insert_library(struct library *libraries, size_t count, struct library library)
{
    size_t first = count;
    while (first > 0 && libraries[first - 1].start >= library.start)
        first--;
    if (first > 0 && libraries[first - 1].end > library.start)
        first--;
    size_t last = first;
    while (last < count && libraries[last].start < library.end)
        last++;
    memmove(libraries + first + 1, libraries + last, (count - last) * sizeof(*libraries));
    libraries[first] = library;
    return count - (last - first) + 1;
}

static void sort_libraries(struct process_context *process)
{
    struct library *libraries = process->libraries.items;
    size_t kept = 0;
    for (size_t i = 0; i < process->libraries.count; i++) {
        struct library library = libraries[i];
        if (library.start < library.end && library.end <= largest_address)
            kept = insert_library(libraries, kept, library);
    }
    process->libraries.count = kept;
}

static char *format_hex(char *out, const uint8_t *bytes, size_t count, const char *digits)
{
    for (size_t i = 0; i < count; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    return out;
}

/* The build id's first bytes as a GUID (its first three fields are little-endian), and the age. */
static void stream_breakpad_id(struct json_writer *writer, const struct arena_string *build_id)
{
    static const uint8_t order[GUID_BYTES] = {
        3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15
    };
    uint8_t guid[GUID_BYTES] = { 0 };
    for (size_t i = 0; i < GUID_BYTES; i++) {
        if (order[i] < build_id->length)
            guid[i] = (uint8_t)build_id->bytes[order[i]];
    }
    char text[GUID_BYTES * 2 + 1];
    char *end = format_hex(text, guid, GUID_BYTES, "0123456789ABCDEF");
    *end++ = '0';
    json_name(writer, "breakpadId");
    json_string_bytes(writer, text, (size_t)(end - text));
}

static void stream_code_id(struct json_writer *writer, const struct arena_string *build_id)
{
    char text[BUILD_ID_MAX_BYTES * 2];
    size_t length = build_id->length < BUILD_ID_MAX_BYTES ? build_id->length : BUILD_ID_MAX_BYTES;
    json_name(writer, "codeId");
    if (length == 0) {
        json_null(writer);
        return;
    }
    char *end = format_hex(text, (const uint8_t *)build_id->bytes, length, "0123456789abcdef");
    json_string_bytes(writer, text, (size_t)(end - text));
}

static void stream_string(struct json_writer *writer, const char *name, struct arena_string text)
{
    json_name(writer, name);
    json_string_bytes(writer, text.bytes, text.length);
}

/* The offset is what makes `address - start + offset` a symbol's address in the file. */
static void stream_library(struct json_writer *writer, const struct library *library)
{
    static const char unnamed[] = "[unnamed]";
    struct arena_string path = library->path, name;
    if (path.length == 0)
        path = (struct arena_string){ unnamed, sizeof(unnamed) - 1 };
    const char *slash = memrchr(path.bytes, '/', path.length - 1);
    name.bytes = slash == NULL ? path.bytes : slash + 1;
    name.length = path.length - (size_t)(name.bytes - path.bytes);

    json_start_object(writer);
    json_u64_property(writer, "start", library->start);
    json_u64_property(writer, "end", library->end);
    json_u64_property(writer, "offset",
                      library->load_bias <= library->start ? library->start - library->load_bias
                                                           : 0);
    json_string_property(writer, "arch", "x86_64");
    stream_string(writer, "name", name);
    stream_string(writer, "path", path);
    stream_string(writer, "debugName", name);
    stream_string(writer, "debugPath", path);
    stream_breakpad_id(writer, &library->build_id);
    stream_code_id(writer, &library->build_id);
    json_end_object(writer);
}

void libs_stream(struct process_context *process, struct json_writer *writer)
{
    sort_libraries(process);
    const struct library *libraries = process->libraries.items;
    json_start_array_property(writer, "libs");
    for (size_t i = 0; i < process->libraries.count; i++)
        stream_library(writer, &libraries[i]);
    json_end_array(writer);
}
