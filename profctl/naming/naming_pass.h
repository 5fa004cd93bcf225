/* The pass over a capture made by symbolicate_profile(): its state, and how it handles the values
 * that come next.
 *
 * Each function reads from the reader of the pass and writes to its writer, and returns 0 or an
 * error of symbolicate_profile(). Functions that handle a member are called after its key was read
 * but not yet written. */
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
    struct capture_counts *counts; /* NULL in the root if that is profd itself */
    struct symbolicate_events events;
    struct profile_kind kind;           /* of the file */
    bool has_meta, has_threads;         /* of the current process */
    struct thread_tables tables;        /* of the current thread */
    struct symbolicated_thread renamed; /* … and the new ones */
    bool is_renamed;                    /* … once they are there */
    char *thread_name, *process_name;   /* … owned; NULL: not known yet */
    struct marker_schemas schemas;      /* of markers */
    struct category_lists own_lists;    /* used if the caller has none */
    struct category_lists *categories;
    struct process_libraries libraries; /* of the current process */
    int64_t pid;                        /* … 0: not known yet */
    int64_t pid_here;                   /* … in this pid namespace; 0: not known */
    struct jit_process generated;       /* … and its generated code */
    double zero_ms;                     /* … the start of its time line, since the epoch */
};

/* --- Steps (naming_pass.c) --- */

/* Iterates over the members of an object whose start was read and written: calls MEMBER after each
 * key, before the key is written. Also writes the end. */
int naming_each_member(struct naming_pass *pass, int (*member)(struct naming_pass *pass));

/* Reads the start of the next value, which must be of this kind, and writes it. */
int naming_enter(struct naming_pass *pass, enum json_token start);

/* Writes the key that was read last. */
int naming_copy_key(struct naming_pass *pass);

/* Copies a member unchanged. */
int naming_copy_member(struct naming_pass *pass);

/* Copies a member and stores its value, if it is a number, in *VALUE. */
int naming_copy_number(struct naming_pass *pass, double *value);

/* Copies a member that is an array of objects, each with COPY, which is called after the start of
 * the object. */
int naming_copy_objects(struct naming_pass *pass, int (*copy)(struct naming_pass *pass));

/* --- Members --- */

/* Copy the tables of samples and markers, with the indices of the thread's new tables
 * (naming_rows.c). */
int naming_copy_samples(struct naming_pass *pass);
int naming_copy_markers(struct naming_pass *pass);

/* Copy the "meta" of a process, and of the root (naming_meta.c). */
int naming_copy_meta(struct naming_pass *pass);
int naming_copy_root_meta(struct naming_pass *pass);

/* --- Threads (naming_thread.c) --- */

/* Copies a thread, an object whose start was read. */
int naming_copy_thread(struct naming_pass *pass);

/* Frees the stored names of the current thread. */
void naming_forget_thread(struct naming_pass *pass);

#endif
