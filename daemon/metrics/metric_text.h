/* Metrics as Prometheus reads them: its text format, version 0.0.4.
 *
 * A family has a name, a type and a help text, then a line for each set of labels. Whether writing
 * succeeded is the stream's to tell (ferror()). Pure but for that; any thread. */
#ifndef PROFD_DAEMON_METRIC_TEXT_H
#define PROFD_DAEMON_METRIC_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    METRIC_LABEL_MOST_BYTES = 255, /* of a value; what is longer is cut */
    METRIC_LABELS_BYTES = 4096,    /* of a set: four values, each byte as long as it can become */
};

/* A set of labels as it stands between the braces. Equal sets have equal texts, whatever bytes they
 * were made from. Zeroed: there are none. */
struct metric_labels {
    size_t length;
    char text[METRIC_LABELS_BYTES];
};

/* Adds NAME with a value of BYTES; what is no UTF-8, or no text, becomes U+FFFD. There is room for
 * four. */
void metric_labels_add(struct metric_labels *labels, const char *name, const char *value,
                       size_t bytes);

/* Begins a family. TYPE is counter, gauge or histogram. */
void metric_family(FILE *out, const char *name, const char *type, const char *help);

/* A line of the family; LABELS is what stands between the braces, "" for none. */
void metric_count(FILE *out, const char *name, const char *labels, uint64_t value);
void metric_seconds(FILE *out, const char *name, const char *labels, uint64_t value_ns);

/* How long things took: EDGES numbers, of which the first says how many took at most FIRST_NS, the
 * next how many at most twice that, and so on; of COUNT in all, which took SUM_NS together. */
struct metric_durations {
    uint64_t first_ns;
    unsigned edges;
    const uint64_t *within;
    uint64_t count, sum_ns;
};

/* As a histogram. */
void metric_histogram(FILE *out, const char *name, const char *labels,
                      const struct metric_durations *durations);

#endif
