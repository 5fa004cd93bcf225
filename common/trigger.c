#include "common/trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/time_units.h"
#include "common/units.h"

enum { MAX_PERCENT = 100000 };

/* Those that are a word alone, and those that more follows. */
static const struct {
    const char *text;
    enum trigger_kind kind;
    bool is_prefix;
} words[] = {
    { "signal", TRIGGER_SIGNAL, false }, { "SIGUSR2", TRIGGER_SIGUSR2, false },
    { "exit", TRIGGER_EXIT, false },     { "name:", TRIGGER_NAME, true },
    { "marker:", TRIGGER_MARKER, true }, { "jank:", TRIGGER_JANK, true },
    { "delay:", TRIGGER_DELAY, true },   { "cpu:", TRIGGER_CPU, true },
};

static bool is_text(const char *text, size_t length, size_t room_bytes)
{
    if (length == 0 || length >= room_bytes)
        return false;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    }
    return true;
}

bool trigger_name_is_valid(const char *name, size_t length)
{
    return is_text(name, length, TRIGGER_NAME_BYTES);
}

bool trigger_has_rule(enum trigger_kind kind)
{
    return kind == TRIGGER_JANK || kind == TRIGGER_DELAY || kind == TRIGGER_CPU;
}

bool trigger_set_rule(struct trigger *trigger, const char *rule, size_t length)
{
    if (!is_text(rule, length, TRIGGER_RULE_BYTES))
        return false;
    memcpy(trigger->rule, rule, length);
    trigger->rule[length] = '\0';
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

/* --- Rules --- */

bool trigger_alert(const struct trigger *trigger, struct group_alert_rule *out,
                   char problem[GROUP_ALERT_PROBLEM_BYTES])
{
    const char *rule = trigger->rule;
    char text[TRIGGER_TEXT_BYTES + 32];

    if (trigger->kind == TRIGGER_DELAY)
        snprintf(text, sizeof(text), "wall>%s,kind=thread", rule);
    else
        snprintf(text, sizeof(text), "%s%s", rule[0] >= '0' && rule[0] <= '9' ? "cpu>" : "", rule);
    return group_alert_parse(text, out, problem);
}

bool trigger_cpu(const struct trigger *trigger, struct trigger_cpu *out)
{
    const char *percent = strchr(trigger->rule, '%');
    char number[TRIGGER_NAME_BYTES];

    *out = (struct trigger_cpu){ .within_ns = UINT64_C(1000) * NS_PER_MS };
    if (percent == NULL)
        return false;
    snprintf(number, sizeof(number), "%.*s", (int)(percent - trigger->rule), trigger->rule);
    if (units_parse_count(number, 1, MAX_PERCENT, &out->percent) < 0)
        return false;
    return percent[1] == '\0' ||
           (percent[1] == '/' && units_parse_time(percent + 2, NS_PER_MS, &out->within_ns) == 0 &&
            out->within_ns != 0);
}

/* --- Texts --- */

/* What follows the prefix. */
static int take_value(const char *text, size_t length, struct trigger *out)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];
    struct group_alert_rule rule;
    struct trigger_cpu cpu;

    if (out->kind == TRIGGER_MARKER)
        return take_marker(text, length, out);
    if (out->kind == TRIGGER_NAME)
        return take_name(text, length, out);
    bool is_right =
        trigger_set_rule(out, text, length) &&
        (out->kind == TRIGGER_CPU ? trigger_cpu(out, &cpu) : trigger_alert(out, &rule, problem));
    return is_right ? 0 : -EINVAL;
}

int trigger_parse(const char *text, size_t length, struct trigger *out)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t bytes = strlen(words[i].text);
        bool is_meant = words[i].is_prefix ? length >= bytes : length == bytes;
        if (!is_meant || memcmp(text, words[i].text, bytes) != 0)
            continue;
        *out = (struct trigger){ .kind = words[i].kind };
        return words[i].is_prefix ? take_value(text + bytes, length - bytes, out) : 0;
    }
    return -EINVAL;
}

void trigger_format(const struct trigger *trigger, char out[TRIGGER_TEXT_BYTES])
{
    size_t i = 0;

    while (words[i].kind != trigger->kind)
        i++;
    int length = snprintf(out, TRIGGER_TEXT_BYTES, "%s%s", words[i].text,
                          trigger_has_rule(trigger->kind) ? trigger->rule : trigger->name);
    if (trigger->kind == TRIGGER_MARKER)
        snprintf(out + length, TRIGGER_TEXT_BYTES - (size_t)length, ":%" PRIu64,
                 trigger->duration_ns);
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
