/* The markers of one thread of a Gecko profile, read into memory. Times are checked to be there
 * where the phase says so, names to be strings of the thread; payloads stay as they are written.
 *
 * Memory is reused from thread to thread. One thread. */
#ifndef PROFD_PROFCTL_THREAD_MARKERS_H
#define PROFD_PROFCTL_THREAD_MARKERS_H

#include <stddef.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "profctl/tables/marker_phase.h"

struct table_marker {
    uint32_t name; /* a string of the thread's */
    enum marker_phase phase;
    double start_ms, end_ms; /* what the phase has not is that of the other end */
    uint32_t category;
    size_t data_offset, data_length; /* its payload, as JSON; length 0: none */
};

/* A zeroed struct is empty. */
struct thread_markers {
    struct mapped_array markers; /* struct table_marker, in the order of the profile */
    struct mapped_array data;    /* char */
};

void thread_markers_free(struct thread_markers *markers);

/* Drops the thread but keeps the memory. */
void thread_markers_clear(struct thread_markers *markers);

/* Reads the value of "markers", whose key READER has just returned, of a thread with STRING_COUNT
 * strings. Returns 0, -EPROTO if it is not such a table, -ENOMEM, or the reader's error. */
int thread_markers_read(struct thread_markers *markers, uint32_t string_count,
                        struct json_reader *reader);

/* The payload of MARKER, a JSON object; NULL: it has none. Not terminated; a view, valid until
 * markers are read again. */
const char *thread_markers_data(const struct thread_markers *markers,
                                const struct table_marker *marker);

#endif
