/* The "meta" of a process in a Gecko profile: what the walk needs of it itself; all else is told as
 * it is written. One thread. */
#ifndef PROFD_PROFCTL_PROFILE_META_H
#define PROFD_PROFCTL_PROFILE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"

struct profile_meta {
    double start_unix_ms; /* of the process' times; 0: not known */
    uint64_t interval_ns; /* of its samples; 0: not known */
    double cpu_unit_ns;   /* of threadCPUDelta; 0: not known, negative: it is no time */
    bool is_of_root;      /* it says what only roots say */
};

/* Who is told of other members, and where their text is kept meanwhile. */
struct profile_meta_listener {
    /* A member as it is written; JSON is not terminated. 0, or an error that ends the reading.
     * NULL: it is skipped. */
    int (*on_member)(void *owner, const char *name, const char *json, size_t length);
    void *owner;
    struct mapped_array *text; /* char */
};

/* Reads the value of "meta", whose key READER has just returned, into META, anew. Returns 0,
 * -EPROTO if it is not such an object, -ENOMEM, the reader's error, or that of LISTENER. */
int profile_meta_read(struct json_reader *reader, const struct profile_meta_listener *listener,
                      struct profile_meta *meta);

#endif
