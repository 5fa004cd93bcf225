/* Names frames of native code that have none yet: the function at an address, the functions that
 * were inlined there, their files and lines, and the linker's symbol. One thread. */
#ifndef PROFD_PROFCTL_NATIVE_FRAMES_H
#define PROFD_PROFCTL_NATIVE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/processed/shared_tables.h"
#include "profctl/symbols/symbol_cache.h"
#include "profctl/tables/process_libraries.h"
#include "profctl/tables/thread_tables.h"

/* Returns whether the addresses of TABLES have no names: no frame is called "function (in
 * library)". In a capture with names, an address may be that of its function's start, from which no
 * names can be derived. */
bool native_frames_are_raw(const struct thread_tables *tables);

/* An address in a library, as represented in the viewer. */
struct native_address {
    struct process_library *library;
    uint32_t offset; /* in the library's file */
    bool is_caller;  /* it is a return address */
};

/* Finds the address that LOCATION, a string of TABLES, denotes. Returns false if it is not such an
 * address. */
bool native_address_find(const struct thread_tables *tables,
                         const struct process_libraries *libraries, uint32_t location,
                         struct native_address *out);

/* Adds the functions at ADDRESS to TABLES, outermost first, as stacks on top of PREFIX, with the
 * category of FRAME. Returns 1 with the innermost in *ROW, 0 if the address has no name, or
 * -ENOMEM. */
int native_frames_push(struct shared_tables *tables, struct symbol_cache *cache,
                       const struct native_address *address, const struct table_frame *frame,
                       uint32_t prefix, uint32_t *row);

#endif
