/* A profile that is read in one format and written in another, thread by thread. One thread. */
#ifndef PROFD_PROFCTL_CONVERSION_H
#define PROFD_PROFCTL_CONVERSION_H

#include <stdint.h>

#include "profctl/convert/profile_format.h"
#include "json/json_reader.h"

struct conversion {
    const struct profile_format *format; /* to be set, as the next two: where the bytes go */
    json_sink_write write;
    void *context;

    void *state;
    int write_error;  /* the first one of WRITE; 0: none */
    uint64_t threads; /* that were converted */
};

/* Reads all of READER. 0, the error of profile_walk(), of the format, or of write. */
int conversion_run(struct conversion *conversion, struct json_reader *reader);

#endif
