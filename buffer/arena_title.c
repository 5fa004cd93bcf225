#include "buffer/arena_title.h"

#include <string.h>

/* Programs fill up what they write over with spaces. */
static size_t trimmed_length(const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes < ARENA_TITLE_BYTES ? bytes : ARENA_TITLE_BYTES - 1);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return length;
}

void arena_title_find(const char *arguments, size_t bytes, const char *first,
                      char out[ARENA_TITLE_BYTES])
{
    size_t length = trimmed_length(arguments, bytes);
    if (length == trimmed_length(first, ARENA_TITLE_BYTES - 1) &&
        memcmp(arguments, first, length) == 0)
        length = 0;
    memcpy(out, arguments, length);
    out[length] = '\0';
}
