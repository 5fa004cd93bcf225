/* What happened while a capture was made: for the profile, and as one line for people.
 *
 * Every event goes into profileGatheringLog; those that make the capture incomplete are also
 * counted, and the first few processes are named. */
#ifndef PROFD_DAEMON_GATHERING_LOG_H
#define PROFD_DAEMON_GATHERING_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "json/json_writer.h"

struct child;

/* Why a process is missing from the capture, or may be incomplete in it. */
#define GATHERING_GAPS(X)                                                                          \
    X(FROZEN, "did not answer and were read from outside")                                         \
    X(UNREADABLE, "could not be read")                                                             \
    X(LOST, "ended; the profile could not be saved")                                               \
    X(OBSTACLE, "ran without being profiled")                                                      \
    X(EXPIRED, "ended; dropped to stay within the memory limit")                                   \
    X(UNSEEN, "ended while profd was not running")                                                 \
    X(TROUBLE, "had an agent that could not record")                                               \
    X(SUCCESSOR, "became another program that was never seen")                                     \
    X(FORGOTTEN, "ended earlier; their records were discarded")                                    \
    X(UNHEARD, "may be missing: not all reports of new processes reached profd")

enum gathering_gap {
#define X(name, text) GAP_##name,
    GATHERING_GAPS(X)
#undef X
        GAP_COUNT
};

enum { GATHERING_NAMES_BYTES = 256, GATHERING_LINE_BYTES = 2048 };

struct gathering_log {
    struct json_writer json; /* one object, complete after gathering_log_end() */
    struct failure_latch latch;
    uint64_t reference_ns;
    struct {
        uint64_t count;
        uint64_t named;
        char names[GATHERING_NAMES_BYTES]; /* of the first few */
    } gaps[GAP_COUNT];
};

void gathering_log_begin(struct gathering_log *log, uint64_t reference_ns);
void gathering_log_free(struct gathering_log *log);

/* EVENT ("asked", "answered" …) happened to CHILD (NULL: to the whole capture), with DETAIL (NULL:
 * none). */
void gathering_log_event(struct gathering_log *log, const struct child *child, const char *event,
                         const char *detail);
/* The same, and the capture is incomplete because of GAP. */
void gathering_log_gap(struct gathering_log *log, const struct child *child, enum gathering_gap gap,
                       const char *detail);
/* The same for COUNT processes whose names are not known. */
void gathering_log_gap_count(struct gathering_log *log, enum gathering_gap gap, uint64_t count);

/* Completes the object; nothing may be added after that. */
void gathering_log_end(struct gathering_log *log);

/* Writes the line for people; "" if nothing is missing. */
void gathering_log_line(const struct gathering_log *log, char out[GATHERING_LINE_BYTES]);

#endif
