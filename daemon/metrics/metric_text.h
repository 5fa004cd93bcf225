/* Writes metrics in Prometheus' text format, version 0.0.4.
 *
 * A family has a name, a type and a help text, then a line for each label set. Use ferror() on the
 * stream to learn whether writing succeeded. Otherwise pure; any thread. */
#ifndef PROFD_DAEMON_METRIC_TEXT_H
#define PROFD_DAEMON_METRIC_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    METRIC_LABEL_MOST_BYTES = 255, /* of a value; longer ones are cut */
    METRIC_LABELS_BYTES = 4096,    /* of a set: four values, with every byte escaped */
};

/* A label set, as the text between the braces. Equal sets have equal texts, whatever bytes they
 * were made from. A zeroed one is empty. */
struct metric_labels {
    size_t length;
    char text[METRIC_LABELS_BYTES];
};

/* Adds NAME with a value of BYTES bytes; what is not UTF-8, or not text, becomes U+FFFD. There is
 * room for four. */
void metric_labels_add(struct metric_labels *labels, const char *name, const char *value,
                       size_t bytes);

/* Begins a family. TYPE is "counter", "gauge" or "histogram". */
void metric_family(FILE *out, const char *name, const char *type, const char *help);

/* Writes a line of the family; LABELS is the text between the braces, "" for none. */
void metric_count(FILE *out, const char *name, const char *labels, uint64_t value);
void metric_seconds(FILE *out, const char *name, const char *labels, uint64_t value_ns);

/* How long things took. WITHIN has EDGES numbers: how many took at most FIRST_NS, how many at most
 * twice that, and so on. COUNT is the number of all, which took SUM_NS together. */
struct metric_durations {
    uint64_t first_ns;
    unsigned edges;
    const uint64_t *within;
    uint64_t count, sum_ns;
};

/* Writes them as a histogram. */
void metric_histogram(FILE *out, const char *name, const char *labels,
                      const struct metric_durations *durations);

#endif
