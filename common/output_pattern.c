#include "common/output_pattern.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_VALUE_BYTES = 128 };

bool output_name_ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);

    return length > ending_length && strcmp(name + length - ending_length, ending) == 0;
}

static int refuse_letter(char *letter, char found)
{
    if (letter != NULL)
        *letter = found;
    return -EINVAL;
}

int output_pattern_check(const char *pattern, char *letter)
{
    if (strlen(pattern) >= OUTPUT_PATTERN_BYTES)
        return -ENAMETOOLONG;
    for (const char *next = strchr(pattern, '%'); next != NULL; next = strchr(next + 2, '%')) {
        if (next[1] == '\0' || strchr("pten%", next[1]) == NULL)
            return refuse_letter(letter, next[1]);
    }
    return output_name_ends_in(pattern, ".json") || output_name_ends_in(pattern, ".json.gz")
               ? 0
               : -ENOENT;
}

/* Letters of all scripts stay; what steers shells, terminals or paths does not, nor a dot in front,
 * which would hide the file or leave its folder. */
static void make_safe(const char *name, char out[LONGEST_VALUE_BYTES])
{
    static const char allowed[] = "+,-.:=@_";
    size_t length = strnlen(name, LONGEST_VALUE_BYTES - 1);

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name[i];
        bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                         (byte >= '0' && byte <= '9') || byte >= 0x80;
        out[i] = '_';
        if (is_letter || strchr(allowed, byte) != NULL)
            out[i] = name[i];
    }
    out[length] = '\0';
    if (out[0] == '.' || out[0] == '-')
        out[0] = '_';
}

static void value_of(char letter, const struct output_event *event, char out[LONGEST_VALUE_BYTES])
{
    switch (letter) {
    case 'p':
        snprintf(out, LONGEST_VALUE_BYTES, "%d", event->pid);
        break;
    case 't':
        snprintf(out, LONGEST_VALUE_BYTES, "%" PRId64, event->unix_s);
        break;
    case 'e':
        make_safe(event->name, out);
        break;
    case 'n':
        snprintf(out, LONGEST_VALUE_BYTES, "%" PRIu64, event->number);
        break;
    case '%':
        snprintf(out, LONGEST_VALUE_BYTES, "%%");
        break;
    default:
        assert(false); /* the pattern was checked */
    }
}

int output_pattern_expand(const char *pattern, const struct output_event *event, char out[PATH_MAX])
{
    size_t used = 0;
    int error = output_pattern_check(pattern, NULL);

    if (error < 0)
        return error;
    for (const char *next = pattern; *next != '\0'; next++) {
        char value[LONGEST_VALUE_BYTES] = { *next, '\0' };

        if (*next == '%')
            value_of(*++next, event, value);
        size_t length = strlen(value);
        if (used + length >= PATH_MAX)
            return -ENAMETOOLONG;
        memcpy(out + used, value, length);
        used += length;
    }
    out[used] = '\0';
    return 0;
}
