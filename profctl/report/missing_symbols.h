/* Which libraries have addresses without names in a profile, how much time is in them, and what was
 * looked for where: why there are none. One thread. */
#ifndef PROFD_PROFCTL_MISSING_SYMBOLS_H
#define PROFD_PROFCTL_MISSING_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

#include "json/failure_latch.h"
#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/convert/thread_stacks.h"

struct unnamed_library {
    char *name, *path, *build_id; /* owned; build_id "": not known */
    struct stack_sum self;        /* of stacks whose innermost frame has no name */
    struct stack_sum total;       /* of stacks in which any frame has none */
};

/* A zeroed struct is empty but for missing_symbols_read(). */
struct missing_symbols {
    struct thread_stacks stacks;
    struct failure_latch latch;
    struct unique_strings keys;    /* path, a newline, build id */
    struct mapped_array libraries; /* struct unnamed_library; those with most time first */
    struct mapped_array owners;    /* uint32_t: of each frame of the current thread; TABLE_NONE */
    struct mapped_array marks;     /* uint64_t: of each library, the stack that counted last */
    uint64_t stack;                /* its number, of all */
};

/* Reads a Gecko profile. Returns 0, -EPROTO if it is not one, -ENOMEM, or the reader's error; OUT
 * needs missing_symbols_free() in any case. */
int missing_symbols_read(struct json_reader *reader, struct missing_symbols *out);
void missing_symbols_free(struct missing_symbols *missing);

/* FILE is named. Looks for the libraries' files while it prints. */
void missing_symbols_print_text(const struct missing_symbols *missing, const char *file, FILE *out);
/* Prints the same as one line of JSON. Returns 0 or a negative errno. */
int missing_symbols_print_json(const struct missing_symbols *missing, const char *file, FILE *out);

#endif
