/* Rewrites a capture in one pass, naming its addresses on the way.
 *
 * Memory is that of one thread's tables and of the symbols of all libraries, whatever the size of
 * the capture. Needs the order that profd writes: libs before threads, and in a thread stringTable,
 * frameTable, stackTable, samples, markers. One thread. */
#ifndef PROFD_PROFCTL_SYMBOLICATE_H
#define PROFD_PROFCTL_SYMBOLICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "profctl/symbols/jit_process.h"
#include "profctl/symbols/symbol_cache.h"
#include "profctl/tables/category_lists.h"

/* What was in the capture. */
struct capture_counts {
    uint64_t processes; /* below the root, which is profd itself */
    uint64_t threads, samples, markers;
    uint64_t named, unnamed; /* addresses */
};

/* What the caller is told and asked meanwhile; each may be NULL. */
struct symbolicate_events {
    /* After each thread: how many bytes were read. */
    void (*on_thread)(void *context, uint64_t bytes_read);
    /* A process begins at byte START. Returns where it must end, or 0 when it may end anywhere.
     * *PID is its id for this process, which may have another pid namespace; left alone when
     * unknown. */
    uint64_t (*on_process)(void *context, uint64_t start, int64_t *pid);
    void *context;
    /* The categories of all processes; what is not among them is added, and only the lists behind
     * it have it. NULL: none are known before. */
    struct category_lists *categories;
    bool may_be_empty;                 /* processes that on_process knows, too */
    const struct jit_archive *archive; /* of generated code; NULL: it is looked for here */
};

/* CACHE NULL leaves all addresses. Empty processes are left out, where they may be. 0,
 * -EPROTO for what is no capture, -ENOMEM, or an error of the reader or the writer. */
int symbolicate_profile(struct json_reader *reader, struct json_writer *writer,
                        struct symbol_cache *cache, struct capture_counts *counts,
                        const struct symbolicate_events *events);

#endif
