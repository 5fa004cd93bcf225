#include "profctl/symbols/jit_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "json/gecko/gecko_meta.h"

enum { MAX_NAME_BYTES = JIT_LOCATION_BYTES - 64 };

/* A piece of a name. */
struct piece {
    const char *bytes;
    size_t length;
};

static bool starts_with(struct piece text, const char *prefix)
{
    size_t length = strlen(prefix);

    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

static void skip_bytes(struct piece *text, size_t count)
{
    text->bytes += count;
    text->length -= count;
}

/* What V8 means by the letter before a name; NULL: nothing. */
static const char *v8_tier(char letter)
{
    switch (letter) {
    case '~':
        return "interpreter";
    case '^':
        return "baseline";
    case '+':
        return "maglev";
    case '*':
        return "turbofan";
    default:
        return NULL;
    }
}

/* Takes a V8 kind of JavaScript code and the letter of its tier off the front of TEXT. */
static bool take_v8_kind(struct piece *text, const char **tier)
{
    static const char *const kinds[] = { "JS:", "LazyCompile:", "Function:", "Script:", "Eval:" };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!starts_with(*text, kinds[i]))
            continue;
        skip_bytes(text, strlen(kinds[i]));
        if (text->length > 0 && strchr("*~^+'", text->bytes[0]) != NULL) {
            *tier = v8_tier(text->bytes[0]);
            skip_bytes(text, 1);
        }
        return true;
    }
    return false;
}

/* Whether TEXT ends in ":LINE:COLUMN". */
static bool has_position(struct piece text)
{
    for (int number = 0; number < 2; number++) {
        size_t digits = 0;

        while (digits < text.length && text.bytes[text.length - 1 - digits] >= '0' &&
               text.bytes[text.length - 1 - digits] <= '9')
            digits++;
        if (digits == 0 || digits == text.length || text.bytes[text.length - 1 - digits] != ':')
            return false;
        text.length -= digits + 1;
    }
    return true;
}

/* The blank between a function's name and its source, either of which may have blanks: the one
 * before what looks like the beginning of a source, else the last. NULL: there is none. */
static const char *find_source(struct piece text)
{
    const char *last = NULL;

    for (size_t i = 0; i < text.length; i++) {
        struct piece rest = { text.bytes + i + 1, text.length - i - 1 };

        if (text.bytes[i] != ' ')
            continue;
        last = text.bytes + i;
        if (starts_with(rest, "/") || starts_with(rest, "file:") || starts_with(rest, "node:"))
            break;
    }
    return last;
}

static bool split_v8(struct piece text, struct piece *function, struct piece *source,
                     const char **tier)
{
    const char *blank;

    if (!take_v8_kind(&text, tier) || !has_position(text))
        return false;
    blank = find_source(text);
    if (blank == NULL)
        return false;
    *function = (struct piece){ text.bytes, (size_t)(blank - text.bytes) };
    skip_bytes(&text, function->length + 1);
    *source = text;
    return true;
}

static bool split_python(struct piece text, struct piece *function, struct piece *source)
{
    const char *colon;

    if (!starts_with(text, "py::"))
        return false;
    skip_bytes(&text, strlen("py::"));
    colon = memrchr(text.bytes, ':', text.length);
    if (colon == NULL)
        return false;
    *function = (struct piece){ text.bytes, (size_t)(colon - text.bytes) };
    skip_bytes(&text, function->length + 1);
    *source = text;
    return source->length > 0;
}

/* Takes "[TIER]", of .NET, off the end of TEXT. NULL: it is not there. */
static const char *take_dotnet_tier(struct piece *text)
{
    static const char *const tiers[] = { "Tier0",          "Tier1",        "PreJIT",
                                         "MinOptJitted",   "Optimized",    "QuickJitted",
                                         "OptimizedTier1", "Instrumented", "OptimizedTier1OSR" };

    for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
        size_t length = strlen(tiers[i]) + strlen("[]");
        if (text->length <= length)
            continue;
        const char *end = text->bytes + text->length - length;
        if (end[0] != '[' || end[length - 1] != ']' || memcmp(end + 1, tiers[i], length - 2) != 0)
            continue;
        text->length -= length;
        return tiers[i];
    }
    return NULL;
}

static void mask_control_bytes(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

size_t jit_name_location(const char *name, size_t bytes, char out[JIT_LOCATION_BYTES],
                         const char **tier)
{
    struct piece text = { name, bytes < MAX_NAME_BYTES ? bytes : MAX_NAME_BYTES };
    struct piece function, source;
    int length;

    *tier = NULL;
    if (split_v8(text, &function, &source, tier) || split_python(text, &function, &source)) {
        if (function.length == 0)
            function = (struct piece){ "anonymous", strlen("anonymous") };
        length = snprintf(out, JIT_LOCATION_BYTES, "%.*s (%.*s)", (int)function.length,
                          function.bytes, (int)source.length, source.bytes);
    } else {
        *tier = take_dotnet_tier(&text);
        length = snprintf(out, JIT_LOCATION_BYTES, "%.*s (in " GECKO_GENERATED_CODE ")",
                          (int)text.length, text.bytes);
    }
    mask_control_bytes(out);
    return length > 0 ? strlen(out) : 0;
}
