/* Rewrites a capture in one pass and replaces addresses by names.
 *
 * It needs memory for the tables of one thread and for the symbols of all libraries, whatever the
 * size of the capture. The capture must be in the order that profd writes: libs before threads, and
 * in a thread stringTable, frameTable, stackTable, samples, markers. One thread. */
#ifndef PROFD_PROFCTL_SYMBOLICATE_H
#define PROFD_PROFCTL_SYMBOLICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "profctl/symbols/jit_process.h"
#include "profctl/symbols/symbol_cache.h"
#include "profctl/tables/category_lists.h"

/* The contents of the capture. */
struct capture_counts {
    uint64_t processes; /* without the root, which is profd itself */
    uint64_t threads, samples, markers;
    uint64_t named, unnamed; /* addresses */
};

/* Callbacks and parameters of the caller; each may be NULL. */
struct symbolicate_events {
    /* Called after each thread with the number of bytes read. */
    void (*on_thread)(void *context, uint64_t bytes_read);
    /* Called for a process that begins at byte START. Returns the byte at which it must end, or 0
     * if it may end anywhere. Sets *PID to its id as seen by this process, which may be in another
     * pid namespace; *PID is left unchanged if that is not known. */
    uint64_t (*on_process)(void *context, uint64_t start, int64_t *pid);
    void *context;
    /* The categories of all processes. New ones are added, and then appear only in the lists
     * written later. NULL: none are known before. */
    struct category_lists *categories;
    bool may_be_empty; /* also processes that on_process knows */
    const struct jit_archive
        *archive; /* with names of generated code; NULL: they are looked up on this machine */
};

/* Rewrites the capture. With CACHE NULL all addresses stay. Empty processes are left out if they
 * are allowed. Returns 0, -EPROTO if it is not a capture, -ENOMEM, or an error of the reader or the
 * writer. */
int symbolicate_profile(struct json_reader *reader, struct json_writer *writer,
                        struct symbol_cache *cache, struct capture_counts *counts,
                        const struct symbolicate_events *events);

#endif
