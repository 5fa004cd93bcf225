#include "child-agent/program/session_options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "child-agent/session_bounds.h"
#include "common/clock_choice.h"
#include "common/features.h"
#include "common/thread_filters.h"

static int read_interval(uint64_t interval_ns, struct session_settings *out)
{
    out->interval_ns = interval_ns != 0 ? interval_ns : SESSION_DEFAULT_INTERVAL_NS;
    return out->interval_ns >= SESSION_SHORTEST_INTERVAL_NS &&
                   out->interval_ns <= SESSION_LONGEST_INTERVAL_NS
               ? 0
               : -EINVAL;
}

static int read_limit(uint64_t limit_bytes, struct session_settings *out)
{
    out->limit_bytes = limit_bytes != 0 ? limit_bytes : SESSION_DEFAULT_LIMIT_BYTES;
    return out->limit_bytes >= SESSION_SMALLEST_LIMIT_BYTES ? 0 : -EINVAL;
}

static int read_features(const char *features, struct session_settings *out)
{
    char unknown[FEATURE_WORD_BYTES];
    out->features = FEATURES_DEFAULT;
    return features != NULL ? features_parse(features, &out->features, unknown) : 0;
}

static int read_threads(const char *threads, struct session_settings *out)
{
    if (threads == NULL)
        return 0;
    if (strnlen(threads, sizeof(out->filters)) == sizeof(out->filters) ||
        !thread_filters_are_valid(threads))
        return -EINVAL;
    strcpy(out->filters, threads);
    return 0;
}

static int read_clock(const char *clock, struct session_settings *out)
{
    return clock != NULL ? clock_choice_parse(clock, &out->clock) : 0;
}

static int refuse_reserved(const struct profd_session_options *options)
{
    for (size_t i = 0; i < sizeof(options->reserved) / sizeof(options->reserved[0]); i++)
        if (options->reserved[i] != 0)
            return -EINVAL;
    return 0;
}

static int check_scope(uint64_t scope)
{
    return scope == PROFD_SESSION_OF_PROCESS || scope == PROFD_SESSION_OF_ALL ? 0 : -EINVAL;
}

int session_options_read(const struct profd_session_options *options, struct session_settings *out)
{
    static const struct profd_session_options none;
    if (options == NULL)
        options = &none;
    memset(out, 0, sizeof(*out));
    out->generation = SESSION_OWN_GENERATION;
    int error = refuse_reserved(options);
    if (error == 0)
        error = check_scope(options->scope);
    if (error == 0)
        error = read_interval(options->interval_ns, out);
    if (error == 0)
        error = read_limit(options->limit_bytes, out);
    if (error == 0)
        error = read_features(options->features, out);
    if (error == 0)
        error = read_threads(options->threads, out);
    if (error == 0)
        error = read_clock(options->clock, out);
    return error;
}
