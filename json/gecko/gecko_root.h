/* What stands around the processes in a capture: the beginning and the end of the root object.
 *
 * The root is profd itself, as the parent process is in Firefox: its meta holds for the whole file,
 * and it has one thread, without stacks. Every profiled process is an element of "processes":
 *
 *     gecko_root_begin   element   ","   element   …   gecko_root_end
 *
 * The elements are complete objects from gecko_stream_process(), made elsewhere and moved between
 * the two as they are; begin and end may use different writers. Same reference_ns for the root and
 * all elements, or their times do not line up. */
#ifndef PROFD_JSON_GECKO_ROOT_H
#define PROFD_JSON_GECKO_ROOT_H

#include <stdint.h>

#include "json/gecko/gecko_categories.h"
#include "json/gecko/gecko_marker_types.h"
#include "json/json_writer.h"

/* What a counter changed by until TIME_NS, since its sample before. */
struct gecko_root_sample {
    uint64_t time_ns;
    int64_t count;
};

/* A counter of the machine. */
struct gecko_root_counter {
    const char *name, *category, *description;
    const struct gecko_root_sample *samples;
    size_t sample_count;
};

/* Times are CLOCK_MONOTONIC ns. Strings are borrowed. */
struct gecko_root_options {
    uint64_t reference_ns;      /* the capture's time zero, as in struct gecko_process_options */
    uint64_t reference_unix_ns; /* likewise */
    uint64_t session_start_ns;  /* the first moment worth showing */
    uint64_t capture_ns;        /* the last one; above session_start_ns */
    uint64_t interval_ns;       /* 0: 1 ms */
    uint64_t memory_limit_bytes;
    int32_t pid;                 /* of profd */
    uint64_t profd_start_ns;     /* when profd started; 0: session_start_ns */
    const char *const *features; /* NULL-terminated names; NULL: none */
    const char *thread_filters;  /* comma-separated; NULL or "": all */
    /* For the end. */
    const struct gecko_root_counter *counters;
    size_t counter_count;
    const char *obstacle; /* why something of the machine could not be measured; NULL or "": none */
};

/* Writes everything up to and with `"processes":[`, without meta. Errors go to the writer's latch.
 */
void gecko_root_begin(struct json_writer *writer, const struct gecko_root_options *options);

/* Writes everything behind the last element, "meta" among it: only now options->capture_ns has to
 * be right, and must not be before any sample of the elements, or viewers hide those. LOG, a memory
 * writer with one JSON object, becomes the profileGatheringLog's entry for profd; it is empty
 * afterwards. NULL or empty: no events. */
void gecko_root_end(struct json_writer *writer, const struct gecko_root_options *options,
                    struct json_writer *log);

/* The parts of a file that a process writes by itself, without a profd: then the root is that
 * process, and gecko_stream_process() makes all of it. The members of
 * "meta", with the process' own CATEGORIES and TYPES of markers, and an empty profileGatheringLog.
 */
void gecko_root_stream_meta(struct json_writer *writer, const struct gecko_root_options *options,
                            const struct gecko_categories *categories,
                            const struct marker_types *types);
void gecko_root_stream_no_gathering(struct json_writer *writer);

#endif
