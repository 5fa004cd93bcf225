#include "profctl/profile/function_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char before_library[] = " (in ";
static const char before_place[] = " (";

/* Where PART, of PART_LENGTH, is in TEXT for the last time, behind its first byte; 0: nowhere. */
static size_t find_last(const char *text, size_t length, const char *part, size_t part_length)
{
    for (size_t i = length >= part_length ? length - part_length : 0; i > 0; i--)
        if (memcmp(text + i, part, part_length) == 0)
            return i;
    return 0;
}

static bool parse_library(const char *text, size_t length, struct function_name *out)
{
    size_t skip = strlen(before_library);

    if (length < skip + 2 || text[length - 1] != ')')
        return false;
    size_t at = find_last(text, length - 1, before_library, skip);
    if (at == 0 || at + skip == length - 1)
        return false;
    out->function_length = at;
    out->library = text + at + skip;
    out->library_length = length - 1 - at - skip;
    return true;
}

/* Takes ":NUMBER" off the end of TEXT. False: there is none, or it is too large. */
static bool take_number(const char *text, size_t *length, uint32_t *number)
{
    size_t at = *length;
    uint64_t value = 0, scale = 1;

    while (at > 0 && isdigit((unsigned char)text[at - 1]) && scale <= UINT32_MAX) {
        value += scale * (uint64_t)(text[--at] - '0');
        scale *= 10;
    }
    if (at == *length || at < 2 || text[at - 1] != ':' || value > UINT32_MAX)
        return false;
    *length = at - 1;
    *number = (uint32_t)value;
    return true;
}

/* "file:line" or "file:line:column". */
static bool parse_place(const char *text, size_t length, struct function_name *out)
{
    uint32_t last, before;

    if (!take_number(text, &length, &last))
        return false;
    bool has_column = take_number(text, &length, &before);
    out->file = text;
    out->file_length = length;
    out->line = has_column ? before : last;
    out->column = has_column ? last : 0;
    return true;
}

static bool parse_script(const char *text, size_t length, struct function_name *out)
{
    size_t skip = strlen(before_place);

    if (parse_place(text, length, out)) {
        out->function_length = 0;
        return true;
    }
    if (length == 0 || text[length - 1] != ')')
        return false;
    size_t at = find_last(text, length - 1, before_place, skip);
    if (at == 0 || !parse_place(text + at + skip, length - 1 - at - skip, out))
        return false;
    out->function_length = at;
    return true;
}

void function_name_parse(const char *text, size_t length, struct function_name *out)
{
    *out = (struct function_name){ .function = text, .function_length = length };
    if (!parse_library(text, length, out))
        (void)parse_script(text, length, out);
}
