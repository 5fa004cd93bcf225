/* The records of a page's stream (page_stream.h): each is a number followed by its contents. Names
 * and stacks come before the first record that refers to them; threads and counters come before
 * their process. profctl/page/data.js reads them in the same order.
 *
 * Times are whole microseconds on the profile's time line, as the difference to the previous one in
 * the same column. Columns begin with their length. One thread. */
#ifndef PROFD_PROFCTL_PAGE_RECORD_H
#define PROFD_PROFCTL_PAGE_RECORD_H

#include "profctl/convert/page_stacks.h"
#include "profctl/convert/page_stream.h"
#include "profctl/convert/thread_events.h"

enum page_record {
    PAGE_END = 0,    /* facts, and the CPU time of each process that no sample covers */
    PAGE_NAMES,      /* column of texts: the next names, and their functions */
    PAGE_STACKS,     /* columns: distance back to the prefix (0: none), name and script */
    PAGE_THREAD,     /* identity, samples, event delay, markers, events that bound calls */
    PAGE_COUNTER,    /* name, category, description, column of times and changes */
    PAGE_PROCESS,    /* how it ended */
    PAGE_META,       /* name and JSON of a member of the profile's "meta" */
    PAGE_COMPARISON, /* what has changed since another profile (page_comparison.h) */
    PAGE_FILES, /* column of files; columns of the distance to the next name with a file, and of
                 * that file */
};

/* What a page has already. Initialised by page_told_init(). */
struct page_told {
    struct page_stream *stream; /* borrowed */
    struct thread_stacks names;
    struct unique_strings functions; /* of the names; the same for what counts as the same call */
    struct page_stacks stacks;
    struct processed_types types;     /* of markers; set before the threads, from the profile */
    struct thread_events events;      /* of the current thread */
    uint32_t name_count, stack_count; /* written so far */
};

void page_told_init(struct page_told *told, struct page_stream *stream);
void page_told_fini(struct page_told *told);

/* Each writes a record, after the names and stacks that it refers to. Returns 0, -ENOMEM, or the
 * stream's first error. */
int page_put_thread(struct page_told *told, const struct profile_thread *thread);
/* Writes the files of all functions so far; once, after all threads. */
int page_put_files(struct page_told *told);
int page_put_counter(struct page_stream *stream, const struct profile_counter *counter);
int page_put_process(struct page_stream *stream, bool is_root, const struct process_log *log);

/* Converts a time or duration to whole microseconds; values that no profile can have are
 * clamped. */
int64_t page_us(double ms);

#endif
