/* The records of a page's stream (page_stream.h), each a number and what it says. Names and
 * stacks come before the first record that has their numbers, threads and counters before the
 * process that they are of. profctl/page/data.js reads the same, in the same order.
 *
 * Times are whole microseconds on the profile's time line, as the difference to the one before in
 * the same column; columns begin with their length. One thread. */
#ifndef PROFD_PROFCTL_PAGE_RECORD_H
#define PROFD_PROFCTL_PAGE_RECORD_H

#include "profctl/convert/page_stacks.h"
#include "profctl/convert/page_stream.h"
#include "profctl/convert/thread_events.h"

enum page_record {
    PAGE_END = 0,    /* facts, and the CPU time of each process that no sample covers */
    PAGE_NAMES,      /* column of texts: the names that come next, and what functions they are */
    PAGE_STACKS,     /* column of how far before it the prefix is (0: none), name and script */
    PAGE_THREAD,     /* what it is, samples, event delay, markers, events that bound calls */
    PAGE_COUNTER,    /* name, category, description, column of times and changes */
    PAGE_PROCESS,    /* what became of it */
    PAGE_META,       /* name and JSON of a member of the profile's "meta" */
    PAGE_COMPARISON, /* what has changed since another profile (page_comparison.h) */
    PAGE_FILES,      /* column of files; column of how many names further on one has a file, and
                      * which */
};

/* What a page has told already. Initialised by page_told_init(). */
struct page_told {
    struct page_stream *stream; /* borrowed */
    struct thread_stacks names;
    struct unique_strings functions; /* of those: what is the same call has the same */
    struct page_stacks stacks;
    struct processed_types types; /* of markers; the profile's tell of them before its threads */
    struct thread_events events;  /* of the thread at hand */
    uint32_t name_count, stack_count; /* that were written */
};

void page_told_init(struct page_told *told, struct page_stream *stream);
void page_told_fini(struct page_told *told);

/* Each writes a record, and what it needs of names and stacks. 0, -ENOMEM, or the stream's first
 * error. */
int page_put_thread(struct page_told *told, const struct profile_thread *thread);
/* Files of the functions that were told: once, behind all threads. */
int page_put_files(struct page_told *told);
int page_put_counter(struct page_stream *stream, const struct profile_counter *counter);
int page_put_process(struct page_stream *stream, bool is_root, const struct process_log *log);

/* A time or duration in whole microseconds; what is no time of any profile is the nearest end. */
int64_t page_us(double ms);

#endif
