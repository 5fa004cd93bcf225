#include "common/groups_filter.h"

#include <stdio.h>
#include <string.h>

/* --- Reading --- */

static bool set_text(char out[GROUPS_FILTER_TEXT_BYTES], const char *text, size_t bytes)
{
    bool is_new = out[0] == '\0';

    if (!is_new || bytes == 0 || bytes >= GROUPS_FILTER_TEXT_BYTES)
        return false;
    memcpy(out, text, bytes);
    out[bytes] = '\0';
    return true;
}

bool groups_filter_add(struct groups_filter *filter, const char *word, size_t bytes)
{
    const struct {
        const char *begin;
        char *text;
    } conditions[] = { { "kind=", filter->kind },
                       { "name=", filter->name },
                       { "process=", filter->process } };

    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        size_t length = strlen(conditions[i].begin);
        if (bytes >= length && memcmp(word, conditions[i].begin, length) == 0)
            return set_text(conditions[i].text, word + length, bytes - length);
    }
    return false;
}

bool groups_filter_parse(const char *text, struct groups_filter *out,
                         char problem[GROUPS_FILTER_PROBLEM_BYTES])
{
    enum { SHOWN_BYTES = 60 };

    *out = (struct groups_filter){ 0 };
    for (const char *word = text, *end; word != NULL; word = *end != '\0' ? end + 1 : NULL) {
        end = strchrnul(word, ',');
        size_t bytes = (size_t)(end - word);
        if (groups_filter_add(out, word, bytes))
            continue;
        snprintf(problem, GROUPS_FILTER_PROBLEM_BYTES,
                 "a filter is kind=KIND, name=NAME or process=NAME, each once, with commas "
                 "between, not '%.*s'",
                 (int)(bytes < SHOWN_BYTES ? bytes : SHOWN_BYTES), word);
        return false;
    }
    return true;
}

/* --- Passing --- */

static bool is_text(const char *wanted, const char *text, size_t bytes)
{
    return wanted[0] == '\0' || (bytes == strlen(wanted) && memcmp(text, wanted, bytes) == 0);
}

bool groups_filter_passes_group(const struct groups_filter *filter, const char *kind,
                                size_t kind_bytes, const char *name, size_t name_bytes)
{
    return is_text(filter->kind, kind, kind_bytes) && is_text(filter->name, name, name_bytes);
}

bool groups_filter_passes_process(const struct groups_filter *filter, const char *name,
                                  size_t name_bytes)
{
    return filter->process[0] == '\0' ||
           memmem(name, name_bytes, filter->process, strlen(filter->process)) != NULL;
}
