#include "profctl/profile/frame_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What profctl calls an address that was in no library. */
static const char unmapped[] = "unmapped 0x";
/* Its addresses are others in each run, so they count as one. */
static const char generated_code[] = "generated code (in no library)";

const char *frame_name(const struct thread_tables *tables,
                       const struct process_libraries *libraries, uint32_t location,
                       char out[FRAME_NAME_BYTES], size_t *length)
{
    const struct process_library *library;
    uint64_t address;
    const char *name = thread_tables_string(tables, location, length);

    if (*length > strlen(unmapped) && memcmp(name, unmapped, strlen(unmapped)) == 0) {
        *length = strlen(generated_code);
        return generated_code;
    }
    if (!thread_tables_address(tables, location, &address) ||
        (library = process_libraries_find(libraries, address)) == NULL)
        return name;
    int written = snprintf(out, FRAME_NAME_BYTES, "0x%" PRIx64 " (in %s)",
                           address - library->load_bias, library->name);
    *length = written < FRAME_NAME_BYTES ? (size_t)written : FRAME_NAME_BYTES - 1;
    return out;
}

/* Where the parenthesis that ends NAME was opened, behind a blank; 0: nowhere. */
static size_t find_parenthesis(const char *name, size_t length)
{
    size_t open = 0;

    if (length == 0 || name[length - 1] != ')')
        return 0;
    for (size_t i = length; i-- > 1;) {
        open += name[i] == ')';
        open -= name[i] == '(';
        if (open == 0)
            return name[i - 1] == ' ' ? i : 0;
    }
    return 0;
}

/* Takes ":NUMBER" off the end of TEXT of *LENGTH. False: there is none, or it is too large. */
static bool take_number(const char *text, size_t *length, uint32_t *number)
{
    uint64_t value = 0, scale = 1;
    size_t i = *length;

    for (; i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9' && scale <= UINT32_MAX; scale *= 10)
        value += (uint64_t)(text[--i] - '0') * scale;
    if (i == *length || i < 2 || text[i - 1] != ':' || value > UINT32_MAX)
        return false;
    *length = i - 1;
    *number = (uint32_t)value;
    return true;
}

bool frame_place_split(const char *text, size_t length, struct frame_place *place)
{
    uint32_t last, before;

    if (length == 0 || text[0] == ':' || !take_number(text, &length, &last))
        return false;
    size_t to_line = length;
    bool has_column = take_number(text, &length, &before);
    *place = (struct frame_place){
        .file_length = length,
        .line = has_column ? before : last,
        .column = has_column ? last : 0,
        .length_to_line = to_line,
        .has_column = has_column,
    };
    return true;
}

static void split_file(const char *text, size_t length, struct frame_name_parts *parts)
{
    struct frame_place place;

    parts->has_line = frame_place_split(text, length, &place);
    if (!parts->has_line && text[0] != '/')
        return;
    parts->source = text;
    parts->source_length = length;
    if (!parts->has_line)
        return;
    parts->source_length = place.file_length;
    parts->line = place.line;
    parts->column = place.column;
    if (place.has_column)
        parts->length_to_line = (size_t)(text - parts->function) + place.length_to_line;
}

void frame_name_split(const char *name, size_t length, struct frame_name_parts *parts)
{
    static const char in[] = "in ";
    size_t open = find_parenthesis(name, length);
    const char *text = name + open + 1;
    size_t text_length = open > 0 ? length - open - 2 : 0;

    *parts = (struct frame_name_parts){ .function = name,
                                        .function_length = length,
                                        .length_to_line = length };
    if (text_length == 0 || open < 2)
        return;
    if (text_length > strlen(in) && memcmp(text, in, strlen(in)) == 0) {
        parts->is_library = true;
        parts->source = text + strlen(in);
        parts->source_length = text_length - strlen(in);
    } else {
        split_file(text, text_length, parts);
    }
    if (parts->source != NULL)
        parts->function_length = open - 1;
}
