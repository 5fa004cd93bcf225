/* Makes new tables for one thread, in which addresses are replaced by functions.
 *
 * Two addresses in one function become one string, and one frame if their lines and files are
 * equal. An inlined function becomes a separate frame, so stacks grow and are renumbered. */
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

/* The sources of names. */
struct symbol_source {
    struct symbol_cache *cache; /* NULL: addresses stay */
    struct process_libraries *libraries;
    struct jit_process *generated; /* for code that is in no library */
    int64_t pid;
};

struct symbolicated_thread {
    struct failure_latch latch;
    struct unique_strings strings;
    struct unique_stacks stacks;
    struct unique_strings places;   /* keys of named frames, as bytes */
    struct mapped_array string_map; /* uint32_t: the new index of each old string … */
    struct mapped_array stack_map;  /* … and of each old stack */
    uint64_t named, unnamed; /* addresses, counted as often as they occur in the stack table */
    const char *purpose;     /* its purpose, derived from its start function
                              * (profctl/naming/thread_name.h); NULL: not known */
};

/* Fills OUT from TABLES. Returns 0 or a negative errno; OUT needs symbolicated_thread_free() in any
 * case. */
int symbolicate_thread(const struct thread_tables *tables, const struct symbol_source *source,
                       struct symbolicated_thread *out);

void symbolicated_thread_free(struct symbolicated_thread *thread);

/* Return the new index for OLD, which must be less than the number of old ones. */
uint32_t symbolicated_string(const struct symbolicated_thread *thread, uint32_t old);
uint32_t symbolicated_stack(const struct symbolicated_thread *thread, uint32_t old);

#endif
