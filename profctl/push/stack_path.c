#include "profctl/push/stack_path.h"

#include <errno.h>
#include <string.h>

#include "profctl/clickhouse/row_binary.h"
#include "profctl/json_sinks.h"
#include "profctl/profile/function_name.h"

void stack_path_free(struct stack_path *path)
{
    mapped_array_free(&path->frames);
    mapped_array_free(&path->modules);
    mapped_array_free(&path->key);
}

/* --- Columns --- */

static int read_texts(struct row_reader *reader, struct mapped_array *out)
{
    struct push_text text;
    uint64_t count;
    int error = row_read_length(reader, &count);

    for (uint64_t i = 0; i < count && error == 0; i++) {
        error = row_read_string(reader, &text.bytes, &text.length);
        struct push_text *place =
            error == 0 && out != NULL ? mapped_array_push(out, sizeof(*place)) : NULL;
        if (place != NULL)
            *place = text;
        else if (error == 0 && out != NULL)
            error = -ENOMEM;
    }
    return error;
}

/* READER is at the frames, which are passed. */
static int read_modules(struct row_reader reader, struct mapped_array *modules)
{
    modules->count = 0;
    int error = read_texts(&reader, NULL);
    if (error == 0)
        error = read_texts(&reader, modules);
    size_t names = modules->count;
    if (error == 0)
        error = read_texts(&reader, modules);
    return error < 0 ? error : modules->count == 2 * names ? 0 : -EPROTO;
}

/* --- Keys: the name, NUL, the build id of its library, NUL, its file --- */

static struct push_text build_id_of(const struct stack_path *path, const struct push_text *name)
{
    const struct push_text *modules = path->modules.items;
    size_t count = path->modules.count / 2;
    struct function_name parts;

    function_name_parse(name->bytes, name->length, &parts);
    for (size_t i = 0; parts.library != NULL && i < count; i++) {
        if (modules[i].length == parts.library_length &&
            memcmp(modules[i].bytes, parts.library, parts.library_length) == 0)
            return modules[count + i];
    }
    return (struct push_text){ "", 0 };
}

static int make_key(const struct export_rows *rows, const struct push_text *name,
                    struct stack_path *path)
{
    const struct push_text build_id = build_id_of(path, name);
    struct push_text file;

    file.bytes = frame_files_find(&rows->files, name->bytes, name->length, &file.length);
    path->key.count = 0;
    int error = json_sink_memory(&path->key, name->bytes, name->length);
    if (error == 0)
        error = json_sink_memory(&path->key, "", 1);
    if (error == 0)
        error = json_sink_memory(&path->key, build_id.bytes, build_id.length);
    if (error == 0)
        error = json_sink_memory(&path->key, "", 1);
    return error == 0 && file.length > 0 ? json_sink_memory(&path->key, file.bytes, file.length)
                                         : error;
}

static int add_frame(const struct export_rows *rows, const struct push_text *name,
                     struct unique_strings *keys, struct stack_path *path)
{
    int error = make_key(rows, name, path);

    if (error < 0)
        return error;
    uint32_t index = unique_strings_add(keys, path->key.items, path->key.count);
    uint32_t *place = mapped_array_push(&path->frames, sizeof(*place));
    if (index == UNIQUE_NONE || place == NULL)
        return -ENOMEM;
    *place = index;
    return 0;
}

int stack_path_read(const struct export_rows *rows, uint32_t stack, struct unique_strings *keys,
                    struct stack_path *path)
{
    size_t length;
    const char *columns = unique_strings_get(&rows->stacks, stack, &length);
    struct row_reader reader = { columns, columns + length };
    struct push_text name;
    uint64_t depth = 0;
    int error = read_modules(reader, &path->modules);

    path->frames.count = 0;
    if (error == 0)
        error = row_read_length(&reader, &depth);
    while (error == 0 && path->frames.count < depth) {
        error = row_read_string(&reader, &name.bytes, &name.length);
        if (error == 0)
            error = add_frame(rows, &name, keys, path);
    }
    return error;
}

/* Up to the next NUL, or the end of TEXT, which begins behind it then. */
static struct push_text take_part(struct push_text *text)
{
    const char *nul = text->length > 0 ? memchr(text->bytes, '\0', text->length) : NULL;
    size_t length = nul != NULL ? (size_t)(nul - text->bytes) : text->length;
    const struct push_text part = { text->bytes, length };
    size_t passed = nul != NULL ? length + 1 : length;

    text->bytes += passed;
    text->length -= passed;
    return part;
}

void path_frame_of(const struct unique_strings *keys, uint32_t index, struct path_frame *out)
{
    struct function_name parts;
    struct push_text rest;

    rest.bytes = unique_strings_get(keys, index, &rest.length);
    const struct push_text name = take_part(&rest);
    *out = (struct path_frame){ .function = name };
    out->build_id = take_part(&rest);
    out->file = rest;
    function_name_parse(name.bytes, name.length, &parts);
    if (parts.library == NULL)
        return;
    out->function.length = parts.function_length;
    out->library = (struct push_text){ parts.library, parts.library_length };
}
