/* How long calls of each function took, for medians and the like: all calls while they are few;
 * later, of functions that have many, so many that any call is as likely to be among them as any
 * other of its function. Of what is called seldom all calls are kept, however many others there
 * are. The same calls in the same order leave the same. One thread. */
#ifndef PROFD_PROFCTL_DRAWN_CALLS_H
#define PROFD_PROFCTL_DRAWN_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

enum {
    DRAWN_CALLS_AT_FIRST = 1 << 20,      /* as many as that are kept whatever their functions are */
    DRAWN_CALLS_OF_FUNCTION_MIN = 1 << 9 /* no function with fewer of them loses any */
};

struct drawn_call {
    uint32_t function;
    float duration_ms;
};

/* A zeroed struct is empty; MOST may be set before the first call. */
struct drawn_calls {
    struct mapped_array calls;  /* struct drawn_call */
    struct mapped_array halves; /* uint8_t, by function: one in 2^that of its calls is kept */
    size_t most;                /* how many calls there may be until they are thinned */
    uint64_t chance;            /* state of what draws */
};

/* Adds a call, or not. Returns 0 or -ENOMEM. */
int drawn_calls_add(struct drawn_calls *drawn, const struct drawn_call *call);
/* Sorts them by function, and those of one by duration, the shortest first. */
void drawn_calls_sort(struct drawn_calls *drawn);
void drawn_calls_free(struct drawn_calls *drawn);

/* How long the call takes below which SHARE of COUNT calls are, of one function, sorted; 0 for
 * none. Pure. */
double drawn_calls_quantile(const struct drawn_call *calls, size_t count, double share);

#endif
