/* Counters of a process in a Gecko profile, one at a time. Memory is reused from counter to
 * counter. One thread. */
#ifndef PROFD_PROFCTL_PROFILE_COUNTER_H
#define PROFD_PROFCTL_PROFILE_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"

struct counter_sample {
    double time_ms; /* on the profile's time line */
    double count;   /* by how much it changed since the sample before */
    double number;  /* of changes since then; 0: not known */
};

/* A zeroed struct is empty. */
struct profile_counter {
    char *name, *category, *description; /* owned; NULL: not known */
    struct mapped_array samples;         /* struct counter_sample, in the order of the profile */
};

void profile_counter_free(struct profile_counter *counter);

/* Reads one element of "counters", whose start READER has just returned. What was here is
 * forgotten. Returns 0, -EPROTO if it is not a counter, -ENOMEM, or the reader's error. */
int profile_counter_read(struct profile_counter *counter, struct json_reader *reader);

#endif
