#include "profctl/profile/function_name.h"

#include "profctl/profile/frame_name.h"

static void set_file(const char *file, size_t length, uint32_t line, uint32_t column,
                     struct function_name *out)
{
    out->file = file;
    out->file_length = length;
    out->line = line;
    out->column = column;
}

void function_name_parse(const char *text, size_t length, struct function_name *out)
{
    struct frame_name_parts parts;
    struct frame_place place;

    *out = (struct function_name){ .function = text, .function_length = length };
    frame_name_split(text, length, &parts);
    if (parts.is_library || parts.has_line)
        out->function_length = parts.function_length;
    if (parts.is_library) {
        out->library = parts.source;
        out->library_length = parts.source_length;
    } else if (parts.has_line) {
        set_file(parts.source, parts.source_length, parts.line, parts.column, out);
    } else if (frame_place_split(text, length, &place)) { /* a script's outermost code */
        out->function_length = 0;
        set_file(text, place.file_length, place.line, place.column, out);
    }
}
