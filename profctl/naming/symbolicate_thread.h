/* New tables for one thread, in which addresses have become functions.
 *
 * Two addresses of one function become one string, and one frame when their lines and files agree;
 * a function that was inlined becomes a frame of its own, so stacks grow and are numbered anew. */
#ifndef PROFD_PROFCTL_SYMBOLICATE_THREAD_H
#define PROFD_PROFCTL_SYMBOLICATE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "json/gecko/unique_stacks.h"
#include "json/unique_strings.h"
#include "profctl/symbols/jit_process.h"
#include "profctl/symbols/symbol_cache.h"
#include "profctl/tables/process_libraries.h"
#include "profctl/tables/thread_tables.h"

/* Where names come from. */
struct symbol_source {
    struct symbol_cache *cache; /* NULL: addresses stay */
    struct process_libraries *libraries;
    struct jit_process *generated; /* for what is in no library */
    int64_t pid;
};

struct symbolicated_thread {
    struct failure_latch latch;
    struct unique_strings strings;
    struct unique_stacks stacks;
    struct unique_strings places;   /* what named frames are known by, as bytes */
    struct mapped_array string_map; /* uint32_t: the new index of each old string … */
    struct mapped_array stack_map;  /* … and of each old stack */
    uint64_t named, unnamed;        /* addresses, as often as they are in the stack table */
    const char *purpose;            /* what it is for, as the function tells that it began in
                                     * (profctl/naming/thread_name.h); NULL: unknown */
};

/* Fills OUT from TABLES. 0 or a negative errno; OUT needs symbolicated_thread_free() either way. */
int symbolicate_thread(const struct thread_tables *tables, const struct symbol_source *source,
                       struct symbolicated_thread *out);

void symbolicated_thread_free(struct symbolicated_thread *thread);

/* The new index for OLD, which is below the number of old ones. */
uint32_t symbolicated_string(const struct symbolicated_thread *thread, uint32_t old);
uint32_t symbolicated_stack(const struct symbolicated_thread *thread, uint32_t old);

#endif
