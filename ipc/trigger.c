#include "ipc/trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char signal_text[] = "signal";
static const char sigusr2_text[] = "SIGUSR2";
static const char name_prefix[] = "name:";
static const char marker_prefix[] = "marker:";

bool trigger_name_is_valid(const char *name, size_t length)
{
    if (length == 0 || length >= TRIGGER_NAME_BYTES)
        return false;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
            return false;
    }
    return true;
}

static int take_name(const char *name, size_t length, struct trigger *out)
{
    if (!trigger_name_is_valid(name, length))
        return -EINVAL;
    memcpy(out->name, name, length);
    out->name[length] = '\0';
    return 0;
}

static int take_number(const char *digits, size_t length, uint64_t *out)
{
    uint64_t number = 0;

    if (length == 0)
        return -EINVAL;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9' ||
            __builtin_mul_overflow(number, UINT64_C(10), &number) ||
            __builtin_add_overflow(number, (uint64_t)(digits[i] - '0'), &number))
            return -EINVAL;
    }
    *out = number;
    return 0;
}

/* "NAME:NANOSECONDS"; the name may have colons. */
static int take_marker(const char *text, size_t length, struct trigger *out)
{
    const char *colon = memrchr(text, ':', length);

    if (colon == NULL)
        return -EINVAL;
    size_t name_length = (size_t)(colon - text);
    int error = take_name(text, name_length, out);
    return error < 0 ? error : take_number(colon + 1, length - name_length - 1, &out->duration_ns);
}

static bool equals(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static bool begins_with(const char *text, size_t length, const char *prefix)
{
    return length >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

int trigger_parse(const char *text, size_t length, struct trigger *out)
{
    *out = (struct trigger){ .kind = TRIGGER_SIGNAL };
    if (equals(text, length, signal_text))
        return 0;
    out->kind = TRIGGER_SIGUSR2;
    if (equals(text, length, sigusr2_text))
        return 0;
    out->kind = TRIGGER_NAME;
    if (begins_with(text, length, name_prefix))
        return take_name(text + strlen(name_prefix), length - strlen(name_prefix), out);
    out->kind = TRIGGER_MARKER;
    if (begins_with(text, length, marker_prefix))
        return take_marker(text + strlen(marker_prefix), length - strlen(marker_prefix), out);
    return -EINVAL;
}

void trigger_format(const struct trigger *trigger, char out[TRIGGER_TEXT_BYTES])
{
    switch (trigger->kind) {
    case TRIGGER_SIGNAL:
        snprintf(out, TRIGGER_TEXT_BYTES, "%s", signal_text);
        break;
    case TRIGGER_SIGUSR2:
        snprintf(out, TRIGGER_TEXT_BYTES, "%s", sigusr2_text);
        break;
    case TRIGGER_NAME:
        snprintf(out, TRIGGER_TEXT_BYTES, "%s%s", name_prefix, trigger->name);
        break;
    case TRIGGER_MARKER:
        snprintf(out, TRIGGER_TEXT_BYTES, "%s%s:%" PRIu64, marker_prefix, trigger->name,
                 trigger->duration_ns);
        break;
    }
}

int trigger_add_line(char lines[TRIGGER_LINES_BYTES], const struct trigger *trigger)
{
    size_t used = strlen(lines), room = TRIGGER_LINES_BYTES - used;
    int length =
        snprintf(lines + used, room, "%" PRIu64 ":%s\n", trigger->duration_ns, trigger->name);

    if (length >= 0 && (size_t)length < room)
        return 0;
    lines[used] = '\0';
    return -ENOSPC;
}

int trigger_next_line(const char **lines, size_t *length, struct trigger *out)
{
    const char *line = *lines;
    const char *end = memchr(line, '\n', *length);

    if (*length == 0)
        return 0;
    if (end == NULL)
        return -EINVAL;
    size_t line_length = (size_t)(end - line);
    const char *colon = memchr(line, ':', line_length);
    if (colon == NULL)
        return -EINVAL;
    *out = (struct trigger){ .kind = TRIGGER_MARKER };
    int error = take_number(line, (size_t)(colon - line), &out->duration_ns);
    if (error == 0)
        error = take_name(colon + 1, (size_t)(end - colon - 1), out);
    if (error < 0)
        return error;
    *lines = end + 1;
    *length -= line_length + 1;
    return 1;
}
