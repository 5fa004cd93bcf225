#include "profctl/convert/profile_format.h"

#include <stdio.h>
#include <string.h>

#include "common/output_pattern.h"

enum { ENDING_BYTES = 64 };

const struct profile_format *const profile_formats[] = {
    &format_collapsed,  &format_speedscope, &format_pprof,     &format_callgrind, &format_trace,
    &format_cpuprofile, &format_html,       &format_processed, &format_jslb,      NULL
};

const struct profile_format *profile_format_named(const char *name)
{
    for (size_t i = 0; profile_formats[i] != NULL; i++) {
        if (strcmp(profile_formats[i]->name, name) == 0)
            return profile_formats[i];
    }
    return NULL;
}

const struct profile_format *profile_format_of_file(const char *path)
{
    for (size_t i = 0; profile_formats[i] != NULL; i++) {
        char compressed[ENDING_BYTES];
        snprintf(compressed, sizeof(compressed), "%s.gz", profile_formats[i]->ending);
        if (output_name_ends_in(path, profile_formats[i]->ending) ||
            output_name_ends_in(path, compressed))
            return profile_formats[i];
    }
    return NULL;
}
