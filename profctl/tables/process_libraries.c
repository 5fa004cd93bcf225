#include "profctl/tables/process_libraries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json/gecko/gecko_meta.h"
#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/tables/json_text.h"

static void free_library(struct process_library *library)
{
    free(library->name);
    free(library->path);
    free(library->build_id);
    free(library->debug_name);
    free(library->debug_id);
}

/* Where the member's value goes: a text, or a number. */
struct member {
    const char *name;
    char **text;
    uint64_t *number;
};

static const struct member *find_member(const struct member *members, size_t count,
                                        struct json_reader *reader)
{
    for (size_t i = 0; i < count; i++)
        if (json_reader_is(reader, members[i].name))
            return &members[i];
    return NULL;
}

static int keep_value(const struct member *member, struct json_reader *reader, int token)
{
    if (member == NULL || token == JSON_TOKEN_NULL)
        return 0;
    if (member->text != NULL && token == JSON_TOKEN_STRING)
        return json_text_keep_string(reader, member->text);
    if (member->number != NULL && token == JSON_TOKEN_NUMBER)
        return json_reader_u64(reader, member->number) == 0 ? 0 : -EPROTO;
    return -EPROTO;
}

/* Reads and writes the members of one library, whose start was read. */
static int copy_members(struct process_library *library, uint64_t *offset,
                        struct json_reader *reader, struct json_writer *writer)
{
    const struct member members[] = {
        { "start", NULL, &library->start },
        { "end", NULL, &library->end },
        { "offset", NULL, offset },
        { "name", &library->name, NULL },
        { "path", &library->path, NULL },
        { "codeId", &library->build_id, NULL },
        { "debugName", &library->debug_name, NULL },
        { "breakpadId", &library->debug_id, NULL },
    };
    int error = 0;

    while (json_next_member(reader, &error)) {
        const struct member *member =
            find_member(members, sizeof(members) / sizeof(members[0]), reader);

        error = json_copy_token(reader, JSON_TOKEN_KEY, writer);
        if (error < 0)
            return error;
        int token = json_reader_next(reader);
        error = keep_value(member, reader, token);
        if (error == 0)
            error = json_copy_from(reader, token, writer);
    }
    return error;
}

static int copy_library(struct process_libraries *libraries, struct json_reader *reader,
                        struct json_writer *writer)
{
    struct process_library library = { 0 }, *place;
    uint64_t offset = 0;
    int error;

    json_start_object(writer);
    error = copy_members(&library, &offset, reader, writer);
    json_end_object(writer);
    if (error == 0 && library.build_id == NULL)
        library.build_id = strdup("");
    if (error == 0 && (library.name == NULL || library.path == NULL))
        error = -EPROTO;
    if (error == 0 && strcmp(library.path, GECKO_GENERATED_CODE) == 0) {
        free_library(&library);
        return 0; /* it stands for what is in no library */
    }
    place = error == 0 ? mapped_array_push(&libraries->libraries, sizeof(*place)) : NULL;
    if (place == NULL || library.build_id == NULL) {
        free_library(&library);
        return error < 0 ? error : -ENOMEM;
    }
    library.load_bias = library.start - offset;
    *place = library;
    return 0;
}

static int compare_libraries(const void *left, const void *right)
{
    const struct process_library *a = left, *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

int process_libraries_copy(struct process_libraries *libraries, struct json_reader *reader,
                           struct json_writer *writer)
{
    int error = json_expect(reader, JSON_TOKEN_START_ARRAY);

    json_start_array(writer);
    while (json_next_object(reader, &error))
        error = copy_library(libraries, reader, writer);
    json_end_array(writer);
    if (error < 0)
        return error;
    if (libraries->libraries.count > 1)
        qsort(libraries->libraries.items, libraries->libraries.count,
              sizeof(struct process_library), compare_libraries);
    return 0;
}

struct process_library *process_libraries_find(const struct process_libraries *libraries,
                                               uint64_t address)
{
    struct process_library *items = libraries->libraries.items;
    size_t low = 0, high = libraries->libraries.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < items[low - 1].end ? &items[low - 1] : NULL;
}

void process_libraries_free(struct process_libraries *libraries)
{
    for (size_t i = 0; i < libraries->libraries.count; i++)
        free_library((struct process_library *)libraries->libraries.items + i);
    mapped_array_free(&libraries->libraries);
}
