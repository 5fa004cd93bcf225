/* The libraries of one process of a capture: which one an address is in. */
#ifndef PROFD_PROFCTL_PROCESS_LIBRARIES_H
#define PROFD_PROFCTL_PROCESS_LIBRARIES_H

#include <stdint.h>

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"
#include "profctl/symbols/symbol_library.h"

struct process_library {
    uint64_t start, end;            /* addresses in the process */
    uint64_t load_bias;             /* an address less this is one of the file */
    char *name, *path, *build_id;   /* owned */
    char *debug_name, *debug_id;    /* what symbol servers know it by; owned; NULL: not known */
    struct symbol_library *symbols; /* of the cache; NULL until they are asked for */
};

/* A zeroed struct is empty. */
struct process_libraries {
    struct mapped_array libraries; /* struct process_library, sorted by start */
};

/* That of generated code (json/gecko/gecko_meta.h) is written, and not kept.
 *
 * Reads the value of "libs", whose key READER has just returned, and writes it to WRITER as it is.
 * Returns 0, -EPROTO if it is not a list of libraries, -ENOMEM, or the reader's error. */
int process_libraries_copy(struct process_libraries *libraries, struct json_reader *reader,
                           struct json_writer *writer);

/* Returns the library that contains ADDRESS, or NULL. */
struct process_library *process_libraries_find(const struct process_libraries *libraries,
                                               uint64_t address);

void process_libraries_free(struct process_libraries *libraries);

#endif
