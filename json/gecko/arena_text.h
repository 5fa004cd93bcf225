/* Compares strings of an arena, which are not terminated. Pure. */
#ifndef PROFD_JSON_GECKO_ARENA_TEXT_H
#define PROFD_JSON_GECKO_ARENA_TEXT_H

#include <stdbool.h>
#include <string.h>

#include "buffer/arena_reader.h"

/* Bytes of an empty string may be NULL. */
static inline bool arena_string_equals(struct arena_string a, struct arena_string b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static inline bool arena_string_is(struct arena_string string, const char *text)
{
    return arena_string_equals(string, (struct arena_string){ text, strlen(text) });
}

#endif
