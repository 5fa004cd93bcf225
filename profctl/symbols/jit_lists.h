/* The two kinds of lists that engines write of the code that they generate. What is in them is
 * believed only as names. */
#ifndef PROFD_PROFCTL_JIT_LISTS_H
#define PROFD_PROFCTL_JIT_LISTS_H

#include <stdio.h>

#include "profctl/symbols/jit_code.h"

/* Nothing behind this is read: what is written to while it is read has an end, too. */
#define JIT_MAX_FILE_BYTES (UINT64_C(2) << 30)

/* A perf map: lines "START SIZE NAME", both numbers hexadecimal. Lines that are none are skipped.
 * Returns 0, -ENOMEM, -E2BIG, or the error of reading; what was read until then counts. */
int jit_read_perf_map(FILE *file, struct jit_code *code);

/* A jitdump of this machine's byte order: of its records, those of functions that were loaded are
 * read. As above; -EPROTO if it is not a jitdump. One that is cut short ends there. */
int jit_read_dump(FILE *file, struct jit_code *code);

#endif
