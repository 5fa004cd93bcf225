/* The Gecko profile of one process, made from its arena in one pass over the buffer.
 *
 * The same code serves living processes (in the agent), and ended and frozen ones (beside profd).
 * The output is one JSON object, an element of "processes". Samples and markers are sorted by
 * thread while the buffer is read, once. Memory grows with the unique strings, frames and stacks, a
 * few bytes for each sample of a thread that ran, and the JSON of markers. Each thread's part then
 * goes to the writer's sink as it is made, and its memory is freed. */
#ifndef PROFD_JSON_GECKO_PROCESS_H
#define PROFD_JSON_GECKO_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/arena_reader.h"
#include "buffer/block_account.h"
#include "common/process_cpu_time.h"
#include "common/process_verdict.h"
#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "json/progress.h"

struct gecko_root_options;

/* What the arena does not contain. Times are in ns on CLOCK_MONOTONIC. */
struct gecko_process_options {
    uint64_t reference_ns;      /* the capture's time zero: all times in the file count from it */
    uint64_t reference_unix_ns; /* the same moment since the epoch; one number in all of a file */
    uint64_t capture_ns;        /* now; the end of everything that is still alive */
    uint64_t since_ns;          /* samples and markers before this are left out; 0: none are */
    uint64_t process_start_ns;  /* of the process's first program; 0: not known (agents) */
    uint64_t end_ns;            /* of the process; 0: it is alive */
    enum process_verdict verdict;
    enum process_verdict outcome; /* what became of a NOT_PROFILED one all the same; of the others
                                   * it is the verdict */
    int code;                     /* exit status or signal */
    struct process_cpu_time cpu_time;
    uint32_t later_images; /* of the same pid: the last one keeps the pid as it is, and 1 before it
                            * … get others, which keeps pids unique */
    const char *thread_filters; /* of common/thread_filters.h; NULL: all. The main thread stays,
                                 * since viewers know the process by it */
    const char *reason;         /* for NOT_PROFILED or FROZEN; NULL: none */
    const char *title;          /* what the process calls itself; NULL: as its arena says */
    const struct gecko_root_options *root; /* of a profile that is a file of its own; NULL: it is
                                            * an element of "processes" */
    uint64_t max_held_bytes; /* of memory for what is read; entries beyond are left out and
                              * counted. 0: 256 MB and 64 times the chunks, at most 2 GB */
};

/* Streams the profile of READER's arena into WRITER; "{}" if no thread passes the filters. PROGRESS
 * may be NULL. Returns 0, or the first failure (a negative errno), which is also in LATCH. Modelled
 * on Firefox's locked_profiler_stream_json_for_this_process. */
int gecko_stream_process(struct arena_reader *reader, const struct gecko_process_options *options,
                         struct json_writer *writer, struct progress *progress,
                         struct failure_latch *latch);

/* A process without an arena, known only from outside. Strings are borrowed; NULL: not known. */
struct gecko_unprofiled_process {
    int32_t pid, parent_pid;
    uint64_t start_ns; /* CLOCK_MONOTONIC; 0: not known */
    const char *executable;
    const char *command_line; /* NUL-separated */
    size_t command_line_bytes;
    struct block_account account; /* of what it recorded; zeros: nothing */
};

/* Streams an element for it, with one thread and no stacks, so that it is listed with its verdict
 * and reason. Errors as gecko_stream_process(). */
int gecko_stream_unprofiled(const struct gecko_unprofiled_process *unprofiled,
                            const struct gecko_process_options *options, struct json_writer *writer,
                            struct failure_latch *latch);

#endif
