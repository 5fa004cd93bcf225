/* The payload of an allocation's marker in a Gecko profile. Pure. */
#ifndef PROFD_PROFCTL_ALLOCATION_PAYLOAD_H
#define PROFD_PROFCTL_ALLOCATION_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

struct allocation_payload {
    int64_t size_bytes; /* that the sample stands for; negative: they were freed */
    uint32_t stack;     /* of the thread, below STACK_COUNT; TABLE_NONE: not known */
};

/* Returns whether the payload JSON of LENGTH, of a thread with STACK_COUNT stacks, is one. Returns
 * 1, 0, -EPROTO, -ENOMEM, or the reader's error. */
int allocation_payload_read(const char *json, size_t length, uint32_t stack_count,
                            struct allocation_payload *out);

#endif
