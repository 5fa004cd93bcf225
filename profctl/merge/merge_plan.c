#include "profctl/merge/merge_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file_name.h"
#include "common/time_units.h"
#include "common/units.h"

enum {
    /* Below it are the ids that the kernel gives; see gecko_unique_pid(). */
    SMALLEST_PID_STEP = 10000000,
    OFFSET_BYTES = 256,
};

/* --- Hosts --- */

/* "captures/web1.json.gz" is of web1. */
static void name_after_file(struct merge_source *source)
{
    const char *name = file_name_of(source->path);
    static const char *const endings[] = { ".gz", ".json" };
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && memcmp(name + length - ending, endings[i], ending) == 0)
            length -= ending;
    }
    snprintf(source->host, sizeof(source->host), "%.*s", (int)length, name);
}

static bool is_taken(const struct merge_source *sources, size_t count, const char *host)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sources[i].host, host) == 0)
            return true;
    }
    return false;
}

/* Files of one name in two folders are of two hosts. */
static void make_distinct(struct merge_source *sources, size_t index)
{
    struct merge_source *source = &sources[index];
    char name[sizeof(source->host) - 8];

    snprintf(name, sizeof(name), "%s", source->host);
    for (unsigned number = 2; is_taken(sources, index, source->host); number++)
        snprintf(source->host, sizeof(source->host), "%s-%u", name, number);
}

bool merge_plan_hosts(struct merge_source *sources, size_t count, const char *names,
                      struct failure *failure)
{
    const char *next = names != NULL ? names : "";
    size_t given = 1;

    for (const char *comma = strchr(next, ','); comma != NULL; comma = strchr(comma + 1, ','))
        given++;
    if (names != NULL && given != count) {
        failure_set(failure, EXIT_CODE_USAGE, "--host has %zu name%s for %zu captures", given,
                    given == 1 ? "" : "s", count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(next, ",");
        if (length >= sizeof(sources[i].host)) {
            failure_set(failure, EXIT_CODE_USAGE,
                        "--host '%.64s...' is too long; at most %zu bytes", next,
                        sizeof(sources[i].host) - 1);
            return false;
        }
        snprintf(sources[i].host, sizeof(sources[i].host), "%.*s", (int)length, next);
        if (length == 0) {
            name_after_file(&sources[i]);
            make_distinct(sources, i);
        }
        next += length + (next[length] == ',');
    }
    return true;
}

/* --- Corrections of clocks --- */

/* The source that TEXT names, by number or host; COUNT: none, or several. */
static size_t find_source(const struct merge_source *sources, size_t count, const char *text)
{
    size_t found = count, matches = 0;
    uint64_t number;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(sources[i].host, text) != 0)
            continue;
        found = i;
        matches++;
    }
    if (matches == 1)
        return found;
    return matches == 0 && units_parse_count(text, 1, count, &number) == 0 ? number - 1 : count;
}

/* "-250ms", "+1.5s". */
static int parse_signed_time(const char *text, double *ms)
{
    bool has_sign = *text == '-' || *text == '+';
    uint64_t ns;
    int error = units_parse_time(has_sign ? text + 1 : text, NS_PER_S, &ns);

    if (error == 0)
        *ms = (*text == '-' ? -1.0 : 1.0) * (double)ns / NS_PER_MS;
    return error;
}

static bool take_offset(struct merge_source *sources, size_t count, char *offset,
                        struct failure *failure)
{
    char *colon = strrchr(offset, ':');
    double ms = 0;

    if (colon == NULL || parse_signed_time(colon + 1, &ms) < 0) {
        failure_set(failure, EXIT_CODE_USAGE,
                    "--offset '%s' is not WHICH:TIME, such as web2:-250ms or 2:+1.5s", offset);
        return false;
    }
    *colon = '\0';
    size_t index = find_source(sources, count, offset);
    if (index == count) {
        failure_set(failure, EXIT_CODE_USAGE,
                    "--offset: '%s' is neither the host of one capture nor a number from 1 to %zu",
                    offset, count);
        return false;
    }
    sources[index].offset_ms = ms;
    return true;
}

bool merge_plan_offsets(struct merge_source *sources, size_t count, const char *offsets,
                        struct failure *failure)
{
    const char *next = offsets;
    char offset[OFFSET_BYTES];

    while (next != NULL) {
        size_t length = strcspn(next, ",");
        snprintf(offset, sizeof(offset), "%.*s", (int)length, next);
        if (!take_offset(sources, count, offset, failure))
            return false;
        next = next[length] == ',' ? next + length + 1 : NULL;
    }
    return true;
}

/* --- Process ids --- */

/* The kernel's part: programs that one process was have it in common. */
static int64_t kernel_part(int64_t pid)
{
    return pid % SMALLEST_PID_STEP;
}

static int compare_pids(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Whether the sorted PIDS have one of SOURCE's. */
static bool shares_pid(const struct mapped_array *pids, const struct merge_source *source)
{
    const int64_t *own = source->pids.items;

    for (size_t i = 0; i < source->pids.count; i++) {
        int64_t pid = kernel_part(own[i]);
        if (pids->count > 0 &&
            bsearch(&pid, pids->items, pids->count, sizeof(pid), compare_pids) != NULL)
            return true;
    }
    return false;
}

static int add_pids(struct mapped_array *pids, const struct merge_source *source)
{
    const int64_t *own = source->pids.items;

    for (size_t i = 0; i < source->pids.count; i++) {
        int64_t *added = mapped_array_push(pids, sizeof(*added));
        if (added == NULL)
            return -ENOMEM;
        *added = kernel_part(own[i]);
    }
    if (pids->count > 0)
        qsort(pids->items, pids->count, sizeof(int64_t), compare_pids);
    return 0;
}

/* A power of ten above all ids, so that the last digits stay readable. */
static int64_t step_above(const struct merge_source *sources, size_t count)
{
    int64_t step = SMALLEST_PID_STEP;

    for (size_t i = 0; i < count; i++) {
        const int64_t *pids = sources[i].pids.items;
        for (size_t j = 0; j < sources[i].pids.count; j++) {
            while (step <= pids[j])
                step *= 10;
        }
    }
    return step;
}

int merge_plan_pids(struct merge_source *sources, size_t count)
{
    struct mapped_array taken = { 0 };
    int64_t step = step_above(sources, count);
    int error = 0;

    for (size_t i = 0; error == 0 && i < count; i++) {
        sources[i].pid_offset = shares_pid(&taken, &sources[i]) ? (int64_t)i * step : 0;
        if (sources[i].pid_offset == 0)
            error = add_pids(&taken, &sources[i]);
    }
    mapped_array_free(&taken);
    return error;
}

/* --- All together --- */

static bool have_equal_units(const struct merge_source *a, const struct merge_source *b)
{
    return a->units.count == b->units.count &&
           (a->units.count == 0 || memcmp(a->units.items, b->units.items, a->units.count) == 0);
}

bool merge_plan_check(const struct merge_source *sources, size_t count, struct failure *failure)
{
    for (size_t i = 1; i < count; i++) {
        if (sources[i].version != sources[0].version) {
            failure_set(
                failure, EXIT_CODE_FAILED,
                "%s has version %g of the format, %s has %g; capture both with the same version",
                sources[0].path, sources[0].version, sources[i].path, sources[i].version);
            return false;
        }
        if (!have_equal_units(&sources[0], &sources[i])) {
            failure_set(failure, EXIT_CODE_FAILED,
                        "%s and %s count samples in different units; capture with equal versions",
                        sources[0].path, sources[i].path);
            return false;
        }
    }
    return true;
}

struct merge_span merge_plan_span(const struct merge_source *sources, size_t count)
{
    struct merge_span span = {
        .start_unix_ms = INFINITY, .begin_ms = INFINITY, .end_ms = -INFINITY, .interval_ms = NAN
    };
    bool is_known = true;

    for (size_t i = 0; i < count; i++)
        span.start_unix_ms =
            fmin(span.start_unix_ms, sources[i].start_unix_ms + sources[i].offset_ms);
    for (size_t i = 0; i < count; i++) {
        double later_ms = sources[i].start_unix_ms + sources[i].offset_ms - span.start_unix_ms;
        is_known &= !isnan(sources[i].begin_ms) && !isnan(sources[i].end_ms);
        span.begin_ms = fmin(span.begin_ms, sources[i].begin_ms + later_ms);
        span.end_ms = fmax(span.end_ms, sources[i].end_ms + later_ms);
        span.interval_ms = fmin(span.interval_ms, sources[i].interval_ms); /* a number, if any is */
    }
    if (!is_known)
        span.begin_ms = span.end_ms = NAN;
    return span;
}
