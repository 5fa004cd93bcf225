/* The pass over a capture that symbolicate_profile() makes: its state, and what it does with the
 * values that come next.
 *
 * Each function reads from the pass' reader and writes to its writer, and returns 0 or an error as
 * symbolicate_profile() does. Those that are called for a member find its key read, and not yet
 * written. */
#ifndef PROFD_PROFCTL_NAMING_PASS_H
#define PROFD_PROFCTL_NAMING_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/naming/symbolicate.h"
#include "profctl/naming/symbolicate_thread.h"
#include "profctl/tables/category_lists.h"
#include "profctl/tables/marker_schemas.h"
#include "profctl/tables/process_libraries.h"
#include "profctl/tables/profile_kind.h"
#include "profctl/tables/thread_tables.h"

struct naming_pass {
    struct json_reader *reader;
    struct json_writer *writer;
    struct symbol_cache *cache;
    struct capture_counts *process_counts;
    struct capture_counts *counts; /* NULL in the root while that is profd itself */
    struct symbolicate_events events;
    struct profile_kind kind;           /* of the file */
    bool has_meta, has_threads;         /* of the process at hand */
    struct thread_tables tables;        /* of the thread at hand */
    struct symbolicated_thread renamed; /* … and the new ones */
    bool is_renamed;                    /* … once they are there */
    char *thread_name, *process_name;   /* … owned; NULL: not known yet */
    struct marker_schemas schemas;      /* of markers */
    struct category_lists own_lists;    /* when the caller has none */
    struct category_lists *categories;
    struct process_libraries libraries; /* of the process at hand */
    int64_t pid;                        /* … 0 while unknown */
    int64_t pid_here;                   /* … as the kernel calls it here; 0: not known */
    struct jit_process generated;       /* … and its generated code */
    double zero_ms;                     /* … what its times count from, since the epoch */
};

/* --- Steps (naming_pass.c) --- */

/* Goes over the members of an object whose start was read and written: MEMBER is called after each
 * key, before it is written. Writes the end, too. */
int naming_each_member(struct naming_pass *pass, int (*member)(struct naming_pass *pass));

/* The next value must be of this kind; writes its start. */
int naming_enter(struct naming_pass *pass, enum json_token start);

/* Writes the key. */
int naming_copy_key(struct naming_pass *pass);

/* Copies a member as it is. */
int naming_copy_member(struct naming_pass *pass);

/* Copies a member whose value, if it is a number, is kept in *VALUE. */
int naming_copy_number(struct naming_pass *pass, double *value);

/* Copies a member, an array of objects, each with COPY, which starts behind its start. */
int naming_copy_objects(struct naming_pass *pass, int (*copy)(struct naming_pass *pass));

/* --- Members --- */

/* The tables of samples and markers, with the numbers that the thread's new tables give
 * (naming_rows.c). */
int naming_copy_samples(struct naming_pass *pass);
int naming_copy_markers(struct naming_pass *pass);

/* "meta" of a process, and of the root (naming_meta.c). */
int naming_copy_meta(struct naming_pass *pass);
int naming_copy_root_meta(struct naming_pass *pass);

/* --- Threads (naming_thread.c) --- */

/* Copies a thread, an object whose start was read. */
int naming_copy_thread(struct naming_pass *pass);

/* Frees the names that are kept of the thread at hand. */
void naming_forget_thread(struct naming_pass *pass);

#endif
