#include "daemon/metrics/metric_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "common/time_units.h"
#include "json/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* --- Labels --- */

static void append_bytes(struct metric_labels *labels, const char *bytes, size_t count)
{
    assert(labels->length + count < sizeof(labels->text));
    memcpy(labels->text + labels->length, bytes, count);
    labels->length += count;
    labels->text[labels->length] = '\0';
}

static void append_character(struct metric_labels *labels, const char *bytes, size_t count)
{
    if (*bytes == '\n')
        append_bytes(labels, "\\n", 2);
    else if ((unsigned char)*bytes < ' ')
        append_bytes(labels, replacement, strlen(replacement));
    else {
        if (*bytes == '"' || *bytes == '\\')
            append_bytes(labels, "\\", 1);
        append_bytes(labels, bytes, count);
    }
}

void metric_labels_add(struct metric_labels *labels, const char *name, const char *value,
                       size_t bytes)
{
    size_t left = bytes < METRIC_LABEL_MOST_BYTES ? bytes : METRIC_LABEL_MOST_BYTES;

    if (labels->length > 0)
        append_bytes(labels, ",", 1);
    append_bytes(labels, name, strlen(name));
    append_bytes(labels, "=\"", 2);
    while (left > 0) {
        bool is_valid;
        size_t taken = utf8_sequence(value, left, &is_valid);
        if (is_valid)
            append_character(labels, value, taken);
        else
            append_bytes(labels, replacement, strlen(replacement));
        value += taken;
        left -= taken;
    }
    append_bytes(labels, "\"", 1);
}

/* --- Families --- */

void metric_family(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void begin_line(FILE *out, const char *name, const char *labels)
{
    if (labels[0] == '\0')
        fputs(name, out);
    else
        fprintf(out, "%s{%s}", name, labels);
}

void metric_count(FILE *out, const char *name, const char *labels, uint64_t value)
{
    begin_line(out, name, labels);
    fprintf(out, " %" PRIu64 "\n", value);
}

static void end_line_with_seconds(FILE *out, uint64_t value_ns)
{
    fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n", value_ns / NS_PER_S, value_ns % NS_PER_S);
}

void metric_seconds(FILE *out, const char *name, const char *labels, uint64_t value_ns)
{
    begin_line(out, name, labels);
    end_line_with_seconds(out, value_ns);
}

/* --- Histograms --- */

static void put_bucket(FILE *out, const char *name, const char *labels, const char *upper_edge,
                       uint64_t count)
{
    fprintf(out, "%s_bucket{%s%sle=\"%s\"} %" PRIu64 "\n", name, labels,
            labels[0] != '\0' ? "," : "", upper_edge, count);
}

static void put_end(FILE *out, const char *name, const char *what, const char *labels)
{
    bool has_labels = labels[0] != '\0';

    fprintf(out, "%s_%s%s%s%s", name, what, has_labels ? "{" : "", labels, has_labels ? "}" : "");
}

/* What is read while it changes: no bucket is larger than the next, or than all. */
static uint64_t clamp_bucket(uint64_t within, uint64_t below, uint64_t count)
{
    within = within > below ? within : below;
    return within < count ? within : count;
}

void metric_histogram(FILE *out, const char *name, const char *labels,
                      const struct metric_durations *durations)
{
    uint64_t below = 0;

    for (unsigned i = 0; i < durations->edges; i++) {
        uint64_t edge_ns = durations->first_ns << i;
        char edge[48];
        below = clamp_bucket(durations->within[i], below, durations->count);
        snprintf(edge, sizeof(edge), "%" PRIu64 ".%03" PRIu64, edge_ns / NS_PER_S,
                 edge_ns % NS_PER_S / NS_PER_MS);
        put_bucket(out, name, labels, edge, below);
    }
    put_bucket(out, name, labels, "+Inf", durations->count);
    put_end(out, name, "sum", labels);
    end_line_with_seconds(out, durations->sum_ns);
    put_end(out, name, "count", labels);
    fprintf(out, " %" PRIu64 "\n", durations->count);
}
