/* What was allocated, in the capture of a query: markers as those of sampled allocations
 * (json/gecko/gecko_allocations.c), but without addresses, since none is known. One thread. */
#ifndef PROFD_PROFCTL_QUERY_ALLOCATIONS_H
#define PROFD_PROFCTL_QUERY_ALLOCATIONS_H

#include "json/json_writer.h"

#define QUERY_ALLOCATION_NAME "Native allocation"

struct query_allocation {
    uint32_t name;  /* QUERY_ALLOCATION_NAME, in the thread's strings */
    uint32_t stack; /* of the thread; UNIQUE_NONE: none */
    uint64_t bytes;
    double time_ms;
    unsigned pid, tid;
};

/* A row of a table of markers. */
void query_allocation_write(const struct query_allocation *allocation, struct json_writer *writer);

#endif
