#include "profctl/arguments/option_value.h"

#include <assert.h>
#include <string.h>

#include "common/clock_choice.h"
#include "common/export_terms.h"
#include "common/features.h"
#include "common/thread_filters.h"
#include "common/time_units.h"
#include "common/units.h"
#include "ipc/messages.h"
#include "profctl/arguments/option_list.h"
#include "profctl/arguments/trigger_value.h"

/* --- Numbers --- */

static int parse_interval(const char *text, uint64_t *ns)
{
    return units_parse_time(text, NS_PER_MS, ns);
}

static int parse_milliseconds(const char *text, uint64_t *milliseconds)
{
    uint64_t ns;
    int error = units_parse_time(text, NS_PER_S, &ns);

    if (error < 0)
        return error;
    *milliseconds = ns / NS_PER_MS + (ns % NS_PER_MS != 0);
    return 0;
}

static int parse_reach(const char *text, uint64_t *milliseconds)
{
    if (strcmp(text, "all") != 0)
        return parse_milliseconds(text, milliseconds);
    *milliseconds = ARGUMENTS_ALL_TIME;
    return 0;
}

static int parse_plain(const char *text, uint64_t *number)
{
    return units_parse_count(text, 0, UINT64_MAX, number);
}

#define SHORTEST_INTERVAL_NS (UINT64_C(10) * NS_PER_US)
#define LONGEST_INTERVAL_NS  (UINT64_C(60) * NS_PER_S)
#define SMALLEST_LIMIT_BYTES EXPORT_LEAST_SPOOL_BYTES /* as what profd takes, too */

static const struct number_kind {
    int (*parse)(const char *text, uint64_t *number);
    uint64_t minimum, maximum;
    const char *expected;
} number_kinds[] = {
    [OPTION_INTERVAL] = { parse_interval, SHORTEST_INTERVAL_NS, LONGEST_INTERVAL_NS,
                          "a time from 10us to 60s, such as 250us or 1ms" },
    [OPTION_RATE] = { units_parse_rate, SHORTEST_INTERVAL_NS, LONGEST_INTERVAL_NS,
                      "samples per second, up to 100000" },
    [OPTION_SECONDS_MS] = { parse_milliseconds, 1, UINT64_MAX, "a time, such as 500ms or 10s" },
    [OPTION_REACH] = { parse_reach, 1, UINT64_MAX, "a time, such as 500ms or 10s, or all" },
    [OPTION_SIZE] = { units_parse_size, SMALLEST_LIMIT_BYTES, INT64_MAX,
                      "a size of at least 1M, such as 64M or 1G" },
    [OPTION_DISTANCE] = { units_parse_size, 1, INT64_MAX, "a size, such as 64K or 1M" },
    [OPTION_PORT] = { parse_plain, 1, UINT16_MAX, "a port from 1 to 65535" },
    [OPTION_COUNT] = { parse_plain, 1, 1000000, "a number from 1 to 1000000" },
};

static bool parse_number(const struct option_row *option, const char *text, uint64_t *number,
                         struct failure *failure)
{
    assert((size_t)option->kind < sizeof(number_kinds) / sizeof(number_kinds[0]));
    const struct number_kind *kind = &number_kinds[option->kind];

    assert(kind->parse != NULL);
    if (kind->parse(text, number) == 0 && *number >= kind->minimum && *number <= kind->maximum)
        return true;
    failure_set(failure, EXIT_CODE_USAGE, "--%s '%s' is not %s", option->name, text,
                kind->expected);
    return false;
}

/* --- Words and lists of them --- */

static bool parse_features(const char *text, uint64_t *bits, struct failure *failure)
{
    char word[FEATURE_WORD_BYTES];
    const char *meant;

    if (features_parse(text, bits, word) == 0)
        return true;
    meant = features_nearest(word);
    failure_set(failure, EXIT_CODE_USAGE, "unknown feature '%s' in --features%s%s%s", word,
                meant ? "; did you mean '" : "; see profctl start --help", meant ? meant : "",
                meant ? "'?" : "");
    return false;
}

static bool parse_clock(const char *text, enum sampling_clock *clock, struct failure *failure)
{
    const char *meant;

    if (clock_choice_parse(text, clock) == 0)
        return true;
    meant = clock_choice_nearest(text);
    failure_set(failure, EXIT_CODE_USAGE, "--clock '%.64s' is not one of " CLOCK_CHOICES "%s%s%s",
                text, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return false;
}

static bool parse_list(const struct option_row *option, const char *text, const char **list,
                       struct failure *failure)
{
    bool is_of_numbers = text[strspn(text, "0123456789,")] == '\0';

    *list = text;
    if (text[strspn(text, ",")] != '\0' && strlen(text) <= MESSAGE_MAX_SELECTION &&
        (is_of_numbers || option->kind != OPTION_PIDS))
        return true;
    failure_set(failure, EXIT_CODE_USAGE, "--%s '%.64s' is not %s", option->name, text,
                option->kind == OPTION_PIDS ? "a list of process ids, such as 17,18"
                                            : "a list of names, comma-separated");
    return false;
}

static bool parse_filters(const struct option_row *option, const char *text, const char **filters,
                          struct failure *failure)
{
    *filters = text;
    if (strlen(text) <= MESSAGE_MAX_SELECTION && thread_filters_are_valid(text))
        return true;
    failure_set(failure, EXIT_CODE_USAGE,
                "--%s '%.64s' is not a list of thread names and pid:PID, comma-separated",
                option->name, text);
    return false;
}

static bool parse_choice(const struct option_row *option, const char *text, unsigned *choice,
                         struct failure *failure)
{
    static const char *const rows[] = { "group", "process", "thread", NULL };
    static const char *const orders[] = { "cpu", "wall", "blocked", "ticks", "jank", NULL };
    const char *const *choices = option->kind == OPTION_ROWS ? rows : orders;

    for (*choice = 0; choices[*choice] != NULL; (*choice)++) {
        if (strcmp(choices[*choice], text) == 0)
            return true;
    }
    failure_set(failure, EXIT_CODE_USAGE, "--%s '%.64s' is not one of %s", option->name, text,
                option->kind == OPTION_ROWS ? "group, process, thread"
                                            : "cpu, wall, blocked, ticks, jank");
    return false;
}

/* Ticks and times on the wall cost nothing more. */
static bool parse_measures(const char *text, uint32_t *needs, struct failure *failure)
{
    static const struct {
        const char *name;
        uint32_t needs;
    } measures[] = { { "cpu", GROUP_NEED_CPU },
                     { "jank", GROUP_NEED_CPU },
                     { "blocked", GROUP_NEED_BLOCKED },
                     { "ticks", 0 } };

    *needs = GROUP_NEED_GROUPS;
    for (const char *word = text, *end; word != NULL; word = *end != '\0' ? end + 1 : NULL) {
        size_t i = 0, total = sizeof(measures) / sizeof(measures[0]);
        end = strchrnul(word, ',');
        while (i < total && (strlen(measures[i].name) != (size_t)(end - word) ||
                             memcmp(measures[i].name, word, (size_t)(end - word)) != 0))
            i++;
        if (i == total) {
            failure_set(failure, EXIT_CODE_USAGE,
                        "--measure '%.64s' is not a list of cpu, jank, blocked and ticks", text);
            return false;
        }
        *needs |= measures[i].needs;
    }
    return true;
}

static bool add_text(const struct option_row *option, const char *text,
                     struct argument_texts *texts, struct failure *failure)
{
    if (texts->count == ARGUMENTS_MAX_TEXTS) {
        failure_set(failure, EXIT_CODE_USAGE, "too many --%s; at most %d", option->name,
                    ARGUMENTS_MAX_TEXTS);
        return false;
    }
    texts->texts[texts->count++] = text;
    return true;
}

/* --- Any value --- */

bool option_value_set(struct arguments *arguments, const struct option_row *option,
                      const char *text, struct failure *failure)
{
    void *target = (char *)arguments + option->offset;

    switch ((enum option_kind)option->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        return true;
    case OPTION_TEXT:
        *(const char **)target = text;
        return true;
    case OPTION_TEXTS:
        return add_text(option, text, target, failure);
    case OPTION_PIDS:
    case OPTION_LIST:
        return parse_list(option, text, target, failure);
    case OPTION_FILTERS:
        return parse_filters(option, text, target, failure);
    case OPTION_ROWS:
    case OPTION_ORDER:
        return parse_choice(option, text, target, failure);
    case OPTION_MEASURES:
        return parse_measures(text, target, failure);
    case OPTION_TRIGGER:
        return trigger_value_add(arguments, text, failure);
    case OPTION_FEATURES:
        return parse_features(text, target, failure);
    case OPTION_CLOCK:
        return parse_clock(text, target, failure);
    default:
        return parse_number(option, text, target, failure);
    }
}
