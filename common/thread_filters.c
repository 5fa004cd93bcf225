#include "common/thread_filters.h"

#include <string.h>

/* One filter, which is not terminated. */
struct filter {
    const char *text;
    size_t length;
};

static const char prefix[] = "pid:";
enum { PREFIX_BYTES = sizeof(prefix) - 1 };

static bool begins_as_process(struct filter filter)
{
    return filter.length >= PREFIX_BYTES && strncasecmp(filter.text, prefix, PREFIX_BYTES) == 0;
}

/* The process that "pid:123" names; 0: it names none, and is a part of a name. */
static int32_t process_of(struct filter filter)
{
    const size_t max_digits = 9;
    int32_t number = 0;
    if (!begins_as_process(filter) || filter.length == PREFIX_BYTES ||
        filter.length > PREFIX_BYTES + max_digits)
        return 0;
    for (size_t i = PREFIX_BYTES; i < filter.length; i++) {
        if (filter.text[i] < '0' || filter.text[i] > '9')
            return 0;
        number = number * 10 + (filter.text[i] - '0');
    }
    return number;
}

static bool name_contains_filter(struct filter filter, const char *name, size_t length)
{
    for (; length >= filter.length; name++, length--)
        if (strncasecmp(name, filter.text, filter.length) == 0)
            return true;
    return false;
}

static const char main_thread[] = "GeckoMain";

static bool passes_filter(struct filter filter, const struct thread_filter_subject *subject)
{
    int32_t process = process_of(filter);
    if (filter.length == 1 && filter.text[0] == '*')
        return true;
    if (process != 0 && process == subject->process)
        return true;
    return name_contains_filter(filter, subject->name, subject->name_length) ||
           (subject->is_main && name_contains_filter(filter, main_thread, sizeof(main_thread) - 1));
}

bool thread_filters_pass(const char *filters, const struct thread_filter_subject *subject)
{
    bool has_filter = false;
    while (*filters != '\0') {
        struct filter filter = { filters, strcspn(filters, ",") };
        has_filter = has_filter || filter.length > 0;
        if (filter.length > 0 && passes_filter(filter, subject))
            return true;
        filters += filter.length + (filters[filter.length] == ',');
    }
    return !has_filter;
}

bool thread_filters_are_valid(const char *filters)
{
    bool has_filter = false;
    while (*filters != '\0') {
        struct filter filter = { filters, strcspn(filters, ",") };
        has_filter = has_filter || filter.length > 0;
        if (begins_as_process(filter) && process_of(filter) == 0)
            return false;
        filters += filter.length + (filters[filter.length] == ',');
    }
    return has_filter;
}
