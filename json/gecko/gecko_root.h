/* What surrounds the processes in a capture: the beginning and the end of the root object.
 *
 * The root is profd itself, as the parent process is in Firefox: its meta holds for the whole file,
 * and it has one thread, without stacks. Every profiled process is an element of "processes":
 *
 *     gecko_root_begin   element   ","   element   …   gecko_root_end
 *
 * The elements are complete objects from gecko_stream_process(), made elsewhere and moved between
 * the two unchanged; begin and end may use different writers. The root and all elements must have
 * the same reference_ns, or their times do not match. */
#ifndef PROFD_JSON_GECKO_ROOT_H
#define PROFD_JSON_GECKO_ROOT_H

#include <stdint.h>

#include "json/gecko/gecko_categories.h"
#include "json/gecko/gecko_marker_types.h"
#include "json/json_writer.h"

/* The change of a counter from its previous sample to TIME_NS. */
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

/* Times are in ns on CLOCK_MONOTONIC. Strings are borrowed. */
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
    /* Needed for the end only. */
    const struct gecko_root_counter *counters;
    size_t counter_count;
    const char *obstacle; /* why the machine could not be measured; NULL or "": none */
};

/* Writes everything up to and including `"processes":[`, without meta. Errors go to the writer's
 * latch. */
void gecko_root_begin(struct json_writer *writer, const struct gecko_root_options *options);

/* Writes everything after the last element, including "meta". options->capture_ns is used only
 * here; it must not be before any sample of the elements, or viewers hide those. LOG, a memory
 * writer with one JSON object, becomes profd's entry in profileGatheringLog, and is empty
 * afterwards. NULL or empty: no events. */
void gecko_root_end(struct json_writer *writer, const struct gecko_root_options *options,
                    struct json_writer *log);

/* For a file that a process writes itself, without profd: the root is then that process, and
 * gecko_stream_process() makes all of it. These write the members of "meta", with the process's own
 * CATEGORIES and marker TYPES, and an empty profileGatheringLog. */
void gecko_root_stream_meta(struct json_writer *writer, const struct gecko_root_options *options,
                            const struct gecko_categories *categories,
                            const struct marker_types *types);
void gecko_root_stream_no_gathering(struct json_writer *writer);

#endif
