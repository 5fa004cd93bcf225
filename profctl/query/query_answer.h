/* The answer of the server, put together: rows with their stacks' frames, row by row as they come.
 * One thread. */
#ifndef PROFD_PROFCTL_QUERY_ANSWER_H
#define PROFD_PROFCTL_QUERY_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

enum { QUERY_NO_FRAMES = UINT32_MAX };

struct query_row {
    uint32_t program, thread; /* of the names */
    uint32_t stack;           /* of the hashes */
    int64_t cpu_ns;
    uint64_t samples, allocated_bytes;
};

/* Where the frames of a stack are. */
struct query_stack {
    uint32_t first, count; /* of the frames; first QUERY_NO_FRAMES: they are not known */
};

/* Initialised by query_answer_init(). */
struct query_answer {
    struct failure_latch latch;
    struct unique_strings names;  /* of programs, threads and frames */
    struct unique_strings hashes; /* of stacks … */
    struct mapped_array stacks;   /* struct query_stack: … and what they are */
    struct mapped_array frames;   /* uint32_t: names, the outermost first */
    struct mapped_array rows;     /* struct query_row, sorted by program and thread */
    uint64_t summed_rows;         /* of the server's tables, in those rows */
    struct mapped_array rest;     /* char: the beginning of a row whose end has not come */
};

void query_answer_init(struct query_answer *answer);
void query_answer_fini(struct query_answer *answer);

/* Both take bytes as they come. Returns 0, -EPROTO if it is not such a row, or -ENOMEM. CONTEXT is
 * the answer. */
int query_answer_take_rows(void *context, const char *bytes, size_t count);
int query_answer_take_stacks(void *context, const char *bytes, size_t count);

/* All has come: 0, or -EPROTO when a row is cut short. */
int query_answer_end(struct query_answer *answer);

#endif
