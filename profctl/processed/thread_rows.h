/* The samples and markers of a thread as rows of a processed profile. Stacks and strings are those
 * that all threads share, so rows of several threads can be joined. One thread. */
#ifndef PROFD_PROFCTL_THREAD_ROWS_H
#define PROFD_PROFCTL_THREAD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/processed/processed_payload.h"

struct marker_row {
    double start_ms, end_ms;
    size_t payload, payload_length; /* in the payloads; length 0: none */
    uint32_t name, category;
    uint32_t sequence; /* keeps the order of markers with the same time */
    uint8_t phase;     /* enum marker_phase */
};

/* Memory is kept when the rows are cleared. A zeroed struct is empty. */
struct thread_rows {
    struct mapped_array samples;     /* struct profile_sample, with shared stacks */
    struct mapped_array markers;     /* struct marker_row, in order of their ends */
    struct mapped_array payloads;    /* char: JSON */
    struct mapped_array allocations; /* struct payload_allocation, by time */
    bool knows_cpu;                  /* the samples have CPU use */
};

/* Appends the samples and markers of SOURCE's thread, which must be later than the previous ones.
 * Returns 0, -ENOMEM, or an error of payload_write(). */
int thread_rows_add(struct thread_rows *rows, const struct payload_source *source);

/* Appends one marker with a JSON payload. Returns 0 or -ENOMEM. */
int thread_rows_add_marker(struct thread_rows *rows, const struct marker_row *marker,
                           const char *payload, size_t length);

void thread_rows_clear(struct thread_rows *rows);
void thread_rows_free(struct thread_rows *rows);

#endif
