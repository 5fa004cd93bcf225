/* Libraries, sorted and without overlaps, as the loader wants them. */
#include <string.h>

#include "common/file_name.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_meta.h"

enum {
    BUILD_ID_MAX_BYTES = 64,
    GUID_BYTES = 16,
    GENERATED_SPAN_BYTES = 64 * 1024,
    MAX_GENERATED_SPANS = 4096,
};

/* What a double holds exactly; nothing is mapped above in user space. */
static const uint64_t largest_address = UINT64_C(1) << 53;

/* Moves LIBRARY, the one at COUNT, to where its start belongs among the sorted ones before it. It
 * takes the place of those that it overlaps: only damage leaves such, and more libraries than are
 * compared (gecko_library_changes.c). */
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
        library.start += library.moved;
        library.end += library.moved;
        library.load_bias += library.moved;
        bool is_of_use = library.moved == 0 || library.has_frames;
        if (is_of_use && library.start < library.end && library.end <= largest_address)
            kept = insert_library(libraries, kept, library);
    }
    process->libraries.count = kept;
}

/* How many libraries begin at or before ADDRESS. */
static size_t count_before(const struct process_context *process, uint64_t address)
{
    const struct library *libraries = process->libraries.items;
    size_t low = 0, high = process->libraries.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (libraries[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Puts a library of generated code around ADDRESS, between its neighbours, unless one is there. */
static void cover_address(struct process_context *process, uint64_t address)
{
    static const char path[] = GECKO_GENERATED_CODE;
    size_t before = count_before(process, address);
    struct library *libraries = process->libraries.items;
    uint64_t start = address & ~(uint64_t)(GENERATED_SPAN_BYTES - 1);
    struct library library = { .start = start,
                               .end = start + GENERATED_SPAN_BYTES,
                               .path = { path, sizeof(path) - 1 } };
    if (before > 0 && address < libraries[before - 1].end)
        return;
    if (before > 0 && library.start < libraries[before - 1].end)
        library.start = libraries[before - 1].end;
    if (before < process->libraries.count && library.end > libraries[before].start)
        library.end = libraries[before].start;
    library.load_bias = library.start;
    if (mapped_array_push(&process->libraries, sizeof(library)) == NULL)
        return; /* then the address stays alone */
    process->libraries.count =
        insert_library(process->libraries.items, process->libraries.count - 1, library);
}

/* Viewers want every address to be in a library. */
static void cover_generated_code(struct process_context *process)
{
    size_t most = process->libraries.count + MAX_GENERATED_SPANS;
    for (size_t i = 0; i < process->threads.count; i++) {
        const struct unique_stacks *stacks = &process_thread(process, i)->stacks;
        uint32_t count = unique_stacks_frame_count(stacks);
        for (uint32_t frame = 0; frame < count && process->libraries.count < most; frame++) {
            struct frame_key key = unique_stacks_frame_key(stacks, frame);
            if (!key.is_label && key.value < largest_address - GENERATED_SPAN_BYTES)
                cover_address(process, key.value);
        }
    }
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
    name.bytes = file_name_of_bytes(path.bytes, path.length);
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
    cover_generated_code(process);
    const struct library *libraries = process->libraries.items;
    json_start_array_property(writer, "libs");
    for (size_t i = 0; i < process->libraries.count; i++)
        stream_library(writer, &libraries[i]);
    json_end_array(writer);
}
