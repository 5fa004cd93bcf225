/* The state while the profile of one process is made: one context for the process, and one for each
 * of its threads. It is filled by one pass over the dictionary (gecko_catalog.c) and one over the
 * chunks (gecko_samples.c, gecko_markers.c), and then written (gecko_threads.c,
 * gecko_sample_table.c, gecko_libs.c, gecko_process.c). Everything is freed with the process
 * context. For the files of this folder only. */
#ifndef PROFD_JSON_GECKO_CONTEXT_H
#define PROFD_JSON_GECKO_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/arena_reader.h"
#include "buffer/sampler_entry.h"
#include "json/gecko/gecko_categories.h"
#include "json/gecko/gecko_marker_types.h"
#include "json/gecko/gecko_process.h"
#include "json/gecko/unique_stacks.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* The latest stack of the current chunk, which the next one is relative to, and the unique stacks
 * of its frames. */
struct stack_tracker {
    size_t chunk_number;
    bool is_truncated;
    size_t library_epoch; /* of the frames of STACKS */
    struct stack_state state;
    uint32_t stacks[SAMPLE_MAX_FRAMES];
};

/* A sample that a thread took of itself. */
struct timed_row {
    uint64_t time_ns;
    uint64_t cpu_us; /* CPU time that it stands for */
    uint32_t stack;  /* UNIQUE_NONE: none */
};

/* The thread's stack while the chunks are read, and the samples kept so far. */
struct thread_samples {
    struct stack_tracker *tracker; /* NULL before the first stack */
    uint32_t current_stack;        /* UNIQUE_NONE: not known, or empty */
    uint32_t last_tick;            /* of the last row */
    struct mapped_array rows;      /* bytes; see gecko_sample_rows.h */
    struct mapped_array timed;     /* struct timed_row */
    bool is_timed_unsorted;
};

/* The delays of the thread's event loop, gathered while the chunks are read. */
struct event_delays {
    uint32_t last_tick;        /* of the last pair */
    struct mapped_array pairs; /* bytes; see gecko_event_delay.c */
};

/* ThreadStreamingContext: everything of one thread. */
struct thread_context {
    uint32_t index;           /* in the arena; may be reused after the thread's end */
    uint32_t next_same_index; /* the next thread with this index, or UNIQUE_NONE */
    uint32_t latest, current; /* in the first thread of an index: the last thread with it, and the
                               * one looked up last */
    int64_t tid;
    bool is_main;
    uint64_t start_ns, end_ns; /* end_ns 0: still alive */
    struct arena_string name;
    struct unique_strings strings;
    struct unique_stacks stacks;
    struct thread_samples samples;
    struct event_delays event_delays;
    struct json_writer markers;
    struct mapped_array open_markers; /* uint32_t by name index: started but not ended */
    uint64_t held_bytes;              /* as last accounted; see gecko_bounds.c */
};

struct site {
    uint32_t id, line;
    struct category_place category;
    uint32_t marker_type; /* 0: none */
    bool is_frame;        /* a frame of a language: the name is that of a function */
    uint32_t column;      /* of such a frame; 0: not known */
    struct arena_string name, file;
};

struct library {
    uint64_t start, end, load_bias;
    struct arena_string path, build_id;
    size_t last_change; /* the position of its latest one */
    uint64_t moved;     /* what the profile adds to its addresses: a later one was at them, too */
    bool has_frames;    /* known of those that may have been moved */
};

/* A library has come, or gone. */
struct library_change {
    uint64_t time_ns; /* never backwards */
    uint32_t library;
    bool is_end;
};

/* A time and, if there is one, its text. */
struct log_line {
    uint64_t time_ns;
    struct arena_string text;
};

struct pause {
    uint64_t start_ns, end_ns; /* start 0: began before the first record; end 0: not over */
};

/* The state of one counter while the chunks are read; see gecko_counters.c. */
struct counter_context {
    struct arena_string name, category, description; /* name.bytes NULL: there is none */
    struct counter_total known;
    bool has_rows;
    uint64_t last_ns;         /* of the last row */
    struct mapped_array rows; /* bytes */
};

/* The durations of the parts of one sampler tick. */
struct overhead_row {
    uint64_t locking_ns, cleaning_ns, counters_ns, threads_ns;
};

/* See gecko_overhead.c. */
struct overhead_context {
    struct mapped_array rows; /* bytes */
    uint32_t last_tick;       /* of the last row */
};

/* ProcessStreamingContext. */
struct process_context {
    struct arena_reader *reader; /* NULL: there is no arena */
    struct gecko_process_options options;
    struct failure_latch *latch;
    struct arena_info info; /* as of the start */
    int64_t unique_pid;
    uint64_t start_ns;
    bool lacks_start; /* the start is not known: start_ns is the end of the process */
    uint32_t user;    /* that owns the files it creates, if knows_user */
    bool knows_user;
    struct arena_string name, executable, command_line;
    struct mapped_array threads;      /* struct thread_context */
    struct mapped_array thread_slots; /* by index: the first thread with it */
    struct mapped_array sites;        /* struct site */
    struct mapped_array site_slots;
    struct mapped_array libraries;       /* struct library: each once */
    struct mapped_array library_changes; /* struct library_change */
    uint64_t shared_start, shared_end; /* around the addresses that several of them had; 0: none */
    size_t library_epoch;       /* at the entry that is being read; see gecko_library_changes.c */
    struct mapped_array pauses; /* struct pause */
    struct mapped_array sampling_pauses; /* struct pause: of samples and counters only */
    struct mapped_array log;             /* struct log_line */
    struct mapped_array counters;        /* struct counter_context, by index */
    struct overhead_context overhead;
    struct mapped_array ticks; /* uint64_t: ns of each tick of the sampler, never backwards */
    uint64_t
        last_tick_ticks; /* as recorded, to recognize a tick that continues in the next chunk */
    size_t chunk_number; /* number of chunks read; a stack is valid within one chunk */
    struct stack_tracker *allocations;   /* NULL before the first */
    struct mapped_array allocation_rows; /* see gecko_allocations.c */
    uint32_t unknown_threads;            /* created for indices that the dictionary lacks */
    uint64_t recorded_cpu_us;            /* as its records say, for all threads */
    uint64_t bad_entries;
    struct gecko_categories categories;
    struct marker_types marker_types;
    uint64_t bad_values;       /* of payloads: not a number, or a percentage above 100 */
    uint64_t unmatched_ends;   /* of markers without a start */
    uint64_t chunk_bytes;      /* read so far */
    uint64_t held_bytes;       /* by the threads, for data read from chunks */
    uint64_t left_out_entries; /* because there was no room */
};

/* --- gecko_catalog.c --- */

/* Initializes PROCESS and reads the dictionary. Failures go to the latch. */
void process_context_init(struct process_context *process, struct arena_reader *reader,
                          const struct gecko_process_options *options, struct failure_latch *latch);
/* Like process_context_init(), for a process without an arena. */
void process_context_init_unprofiled(struct process_context *process,
                                     const struct gecko_unprofiled_process *unprofiled,
                                     const struct gecko_process_options *options,
                                     struct failure_latch *latch);
void process_context_fini(struct process_context *process);

/* Returns when the process ended, or UINT64_MAX. */
uint64_t process_end_ns(const struct process_context *process);

static inline struct thread_context *process_thread(const struct process_context *process,
                                                    size_t position)
{
    return (struct thread_context *)process->threads.items + position;
}

/* Returns the site with ID, or NULL. */
const struct site *process_site(const struct process_context *process, uint32_t id);

/* --- gecko_thread_list.c --- */

/* Appends a copy of DESCRIBED. A later thread may have the index of one that has ended. */
void thread_list_append(struct process_context *process, const struct thread_context *described);
/* Returns the latest thread with INDEX, or NULL. */
struct thread_context *thread_list_find_latest(const struct process_context *process,
                                               uint32_t index);
/* Called after the last record: ensures one main thread, unique ids, and tables for each thread. */
void thread_list_complete(struct process_context *process);
void thread_list_fini(struct process_context *process);

/* Returns the thread that had INDEX at TIME_NS, which is created if the dictionary has none; NULL
 * after a failure, or if there are too many unknown threads. Fast if times increase. */
struct thread_context *process_thread_at(struct process_context *process, uint32_t index,
                                         uint64_t time_ns);

/* --- gecko_stack_tracker.c --- */

/* Returns the tracker at PLACE, which is created if there is none, and emptied if it is of another
 * chunk. Free it with stack_tracker_free(). Returns NULL after a failure, which is latched. */
struct stack_tracker *stack_tracker_at(struct process_context *process,
                                       struct stack_tracker **place);
void stack_tracker_free(struct stack_tracker **place);

/* --- gecko_samples.c --- */

/* Takes one sampler tick, in ticks of the chunk's clock and in ns. */
void samples_take_tick(struct process_context *process, uint64_t ticks, uint64_t time_ns);
/* Takes what the sampler recorded about a thread, OFFSET_NS after the last tick. */
void samples_take_sample(struct process_context *process, const struct sample_entry *sample,
                         uint64_t offset_ns, bool is_truncated);
void samples_take_same(struct process_context *process, const struct sample_entry *sample,
                       uint64_t offset_ns);
void samples_take_late(struct process_context *process, uint32_t thread_index);
/* Takes what a thread recorded about itself, at TIME_NS. */
void samples_take_timed_sample(struct process_context *process, const struct sample_entry *sample,
                               uint64_t time_ns, bool is_truncated);
void samples_take_timed_same(struct process_context *process, const struct sample_entry *sample,
                             uint64_t time_ns);
void samples_take_thread_cpu(struct process_context *process, const struct sample_entry *cpu,
                             uint64_t time_ns);
bool samples_exist(const struct thread_context *thread);
void samples_fini(struct thread_samples *samples);

/* --- gecko_sample_table.c --- */

/* Writes the thread's samples as a table, with one row for every tick that the thread was alive
 * at. */
void samples_stream(const struct process_context *process, struct thread_context *thread,
                    struct json_writer *writer);

/* --- gecko_stacks.c --- */

/* Returns the frames of STACK as a unique stack of THREAD's tables; UNIQUE_NONE: it is empty. */
uint32_t stacks_unique(const struct process_context *process, struct thread_context *thread,
                       const struct stack_state *stack, bool is_truncated);
/* Returns the unique stack of THREAD that has FRAMES, outermost first, on top of STACK
 * (UNIQUE_NONE: none). */
uint32_t stacks_add(const struct process_context *process, struct thread_context *thread,
                    uint32_t stack, const struct stack_frame *frames, uint32_t count);
/* Returns the unique stack of TRACKER's frames. The outermost KEPT are those of the previous
 * stack. */
uint32_t stacks_track(const struct process_context *process, struct thread_context *thread,
                      struct stack_tracker *tracker, uint32_t kept);

/* --- gecko_timed_samples.c --- */

void timed_samples_add(struct process_context *process, struct thread_samples *samples,
                       const struct timed_row *row);
/* Sorts the samples, which has to be done before they are streamed. */
void timed_samples_sort(struct thread_samples *samples);

/* --- gecko_bounds.c --- */

/* Returns whether there is room for one more sample, marker or allocation. If not, it is counted as
 * left out. */
bool bounds_allow(struct process_context *process);
/* Accounts for memory after something was added to THREAD. */
void bounds_account(struct process_context *process, struct thread_context *thread);

/* --- gecko_event_delay.c --- */

/* Takes a delay at the last tick. */
void event_delays_take(struct process_context *process, const struct event_delay_entry *entry);
void event_delays_fini(struct event_delays *delays);

/* Iterates over the delays, tick by tick. */
struct event_delay_cursor {
    const uint8_t *in, *end;
    bool has_pair; /* tick and delay_us hold the next pair */
    uint32_t tick;
    uint64_t delay_us;
};
void event_delay_cursor_init(struct event_delay_cursor *cursor, const struct event_delays *delays);
/* Returns the delay at TICK in µs, 0 for none. TICK must not decrease from call to call. */
uint64_t event_delay_at(struct event_delay_cursor *cursor, uint32_t tick);

/* --- gecko_markers.c --- */

/* Writes one marker of THREAD. TICKS is the time of its entry, on CLOCK. */
void markers_take(struct process_context *process, struct thread_context *thread,
                  const struct marker_entry *marker, uint64_t ticks,
                  const struct clock_calibration *clock);
/* Adds a marker to the main thread that says what became of the process. Does nothing for a live
 * one. */
void markers_add_verdict(struct process_context *process, struct thread_context *main_thread);
/* Adds markers for pauses of sampling only, which "pausedRanges" cannot express. */
void markers_add_sampling_pauses(struct process_context *process,
                                 struct thread_context *main_thread);
/* Moves the thread's markers to WRITER, as a table. */
void markers_stream(struct thread_context *thread, struct json_writer *writer);

/* --- gecko_allocations.c --- */

/* Takes an allocation, or the end of one, at TIME_NS. */
void allocations_take(struct process_context *process, const struct allocation_entry *entry,
                      uint64_t time_ns, bool is_truncated);
/* Called once all chunks have been read: turns the allocations into markers, in order of time. */
void allocations_finish(struct process_context *process);
void allocations_fini(struct process_context *process);

/* --- gecko_unregistered.c --- */

/* Takes what was seen of a thread that is not registered, OFFSET_NS after the last tick. */
void unregistered_take(struct process_context *process, const struct unregistered_entry *entry,
                       uint64_t offset_ns, uint64_t period_ns);

/* --- gecko_counters.c --- */

/* Adds a counter of the dictionary. */
void counters_add(struct process_context *process, const struct arena_record *record);
/* Takes a COUNTERS entry, or with ARE_TOTALS a COUNTER_TOTALS entry, at TIME_NS. Returns 0 or
 * -EPROTO. */
int counters_take(struct process_context *process, struct counter_cursor *cursor, bool are_totals,
                  uint64_t time_ns);
/* Writes "counters" as a member of the open object; nothing if there are none. */
void counters_stream(const struct process_context *process, struct json_writer *writer);
void counters_fini(struct process_context *process);

/* --- gecko_overhead.c --- */

/* Takes the overhead of the sampler at the latest tick. */
void overhead_take(struct process_context *process, const struct overhead_row *row);
/* Writes "profilerOverhead" as a member of the open object; nothing if nothing is known. */
void overhead_stream(const struct process_context *process, struct json_writer *writer);

/* --- gecko_payload.c --- */

/* Where a payload comes from and is written to. */
struct payload_source {
    struct process_context *process;
    struct thread_context *thread; /* that its string indices refer to */
    const struct clock_calibration *clock;
    struct json_writer *writer;
};

/* Writes the values of PAYLOAD as members of the open object. */
void payload_stream(const struct payload_source *source, const struct marker_schema *schema,
                    struct arena_string payload);

/* --- gecko_chunks.c --- */

/* Reads all chunks, once. */
void process_read_chunks(struct process_context *process, const struct progress *progress);

/* --- gecko_libs.c, gecko_threads.c --- */

void libs_stream(struct process_context *process, struct json_writer *writer);
void threads_stream(struct process_context *process, struct json_writer *writer,
                    const struct progress *progress);
/* Returns whether there is a thread that passes the filters. */
bool threads_exist(const struct process_context *process);

/* --- gecko_library_changes.c: which library was at an address when --- */

void library_changes_take(struct process_context *process, const struct arena_record *record);

/* Gives those whose addresses a later one took other ones. Called once, after all records. */
void library_changes_complete(struct process_context *process);

/* An entry of TIME_NS is read next; samples without a time of their own have their tick's. */
void library_changes_come_to(struct process_context *process, uint64_t time_ns);

/* What the profile has in place of ADDRESS, of a frame of the entry that is being read. */
uint64_t library_changes_place(const struct process_context *process, uint64_t address);

/* --- gecko_log.c --- */

/* Writes the entry of the process in "profilingLog": what became of it, what it dropped, and what
 * it logged. */
void log_stream(const struct process_context *process, struct json_writer *writer);

/* Returns the interval of the clock that took the samples; 0: there was none, or it is not
 * known. */
static inline uint64_t process_interval_ns(const struct process_context *process)
{
    bool has_clock = process->info.sampling_clock != SAMPLING_CLOCK_AUTO;
    return has_clock ? process->info.sampling_interval_ns : 0;
}

/* Returns TIME_NS as a time of the profile, in ns since the profile's time zero. */
static inline int64_t process_relative_ns(const struct process_context *process, uint64_t time_ns)
{
    return (int64_t)(time_ns - process->options.reference_ns);
}

#endif
