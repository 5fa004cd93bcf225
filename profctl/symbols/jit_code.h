/* The generated code of one process: which function was where.
 *
 * Where functions took each other's place, the one that was added last counts: neither addresses in
 * a capture nor most lists of generated code tell when. One thread. */
#ifndef PROFD_PROFCTL_JIT_CODE_H
#define PROFD_PROFCTL_JIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/unique_strings.h"

/* A zeroed struct with jit_code_init() is empty. */
struct jit_code {
    struct failure_latch latch;
    struct unique_strings locations;
    struct mapped_array regions; /* struct jit_region; private */
    uint64_t longest;            /* region, in bytes */
    uint32_t added;              /* regions that were added */
    bool is_sorted;
};

void jit_code_init(struct jit_code *code);
void jit_code_free(struct jit_code *code);

/* NAME as the program that generated the code calls it. A region that is empty, larger than any
 * function, or ends behind the last address, is none. Returns 0; -ENOMEM; -E2BIG when there are too
 * many. */
int jit_code_add(struct jit_code *code, uint64_t start, uint64_t bytes, const char *name,
                 size_t name_bytes);

/* A function as profiles have it; views, valid until the next add. */
struct jit_function {
    const char *location; /* of LENGTH; not terminated */
    size_t length;
    const char *tier; /* of its compiler; NULL: not known */
};

/* The function at ADDRESS. False when nothing is known there. */
bool jit_code_find(struct jit_code *code, uint64_t address, struct jit_function *out);

#endif
