/* Reads an arena that may be written to at the same time, may be corrupted, or may be malicious.
 *
 * Every offset, size and count is checked against what is mapped. Anything that is wrong ends the
 * reading of that chunk or record and is counted; it never does more harm. Chunks are copied before
 * they are parsed, so that the bytes that were checked are the bytes that are used. The agent uses
 * this for its own arena, profd for the arenas of dead processes, and tests for random bytes. A
 * reader belongs to one thread at a time. */
#ifndef PROFD_BUFFER_ARENA_READER_H
#define PROFD_BUFFER_ARENA_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/arena.h"
#include "buffer/dictionary.h"
#include "common/sampling_clock.h"

struct arena_reader; /* opaque */

/* The contents of the header, already checked. */
struct arena_info {
    int32_t process_id, parent_process_id;
    uint32_t generation;
    uint64_t process_start_ns, session_start_ns, interval_ns;
    enum sampling_clock sampling_clock; /* AUTO: none yet, or not known */
    enum clock_refusal sampling_clock_refusal;
    uint64_t sampling_interval_ns;   /* at most SAMPLING_INTERVAL_MAX_NS; 0: not known */
    char title[ARENA_TITLE_BYTES];   /* terminated; "": none */
    char labels[ARENA_LABELS_BYTES]; /* terminated; "": none */
    uint32_t labels_left_out;        /* how many labels did not fit */
    /* By cause. Includes what the reader has found recycled or damaged since it was opened. */
    uint64_t drops[DROP_CAUSE_COUNT];
    uint64_t drop_bytes[DROP_CAUSE_COUNT];
    uint64_t bad_chunks, bad_blocks, bad_records; /* found damaged so far */
    uint64_t kept_blocks, kept_bytes;             /* read so far */
    /* What the writers had counted when the reader was opened. Once all chunks have been read,
     * whatever of it is neither kept nor dropped is lost. */
    uint64_t produced_blocks, produced_bytes;
};

/* Opens the arena in FD, a file or memfd. FD is duplicated, so the caller may close it. The arena
 * is read with pread(), so its owner may shorten the file, and holes stay holes. Returns 0; -EPROTO
 * if the header is not that of an arena of this version, -EIO if the file is smaller than the
 * header says, -ENOMEM, or the error of pread. */
int arena_reader_open(int fd, struct arena_reader **out);
/* Like arena_reader_open(), for an arena in MEMORY (borrowed), such as the process's own mapping or
 * a fuzzer's bytes. Returns -EINVAL if MEMORY is not aligned to 8 bytes. */
int arena_reader_open_memory(const void *memory, size_t bytes, struct arena_reader **out);
void arena_reader_close(struct arena_reader *reader);

void arena_reader_info(const struct arena_reader *reader, struct arena_info *out);

/* One decoded dictionary record. Strings are views of `length` bytes; they are not terminated and
 * are valid until the reader is closed. Fields that a kind of record does not have are zero. */
struct arena_string {
    const char *bytes;
    size_t length;
};
struct arena_record {
    enum dictionary_kind kind;
    uint64_t time_ns;
    uint32_t index; /* THREAD*: thread index; SITE, (SUB)CATEGORY, MARKER_TYPE, USER: id; COUNTER:
                     * index; SITE_TYPE: site */
    int32_t pid, parent_pid, tid;
    bool is_main;
    uint32_t category, line, marker_type; /* for a SITE_FRAME, `line` is the column */
    uint64_t start, end, load_bias;
    /* THREAD*, SITE, CATEGORY, PROCESS_NAME, LOG, COUNTER; LIBRARY: path; PROCESS: executable */
    struct arena_string name;
    /* SITE: function; CATEGORY: colour; PROCESS: command line; LIBRARY: build id; COUNTER: its
     * category; MARKER_TYPE: schema */
    struct arena_string extra;
    struct arena_string file; /* SITE; COUNTER: description */
};
/* Reads the next record. Returns 1 with *OUT filled in, or 0 at the end. A damaged record is
 * skipped if its size can be read; otherwise it ends the list. The dictionary is copied when the
 * reader is opened, so the records are a snapshot. */
int arena_reader_next_record(struct arena_reader *reader, struct arena_record *out);
void arena_reader_rewind_records(struct arena_reader *reader);

/* Returns the number of chunks of the current generation that hold data. Chunks are in the order of
 * range_start. */
size_t arena_reader_chunk_count(const struct arena_reader *reader);

/* A copy of one chunk. */
struct chunk_copy {
    uint32_t writer_index;
    uint64_t range_start;
    uint32_t used_bytes;
    uint32_t block_count;
    uint64_t start_ticks;
    struct clock_calibration calibration;
    uint8_t bytes[CHUNK_BUFFER_BYTES];
};
/* Copies the chunk at POSITION, which must be below the count. Returns 0; -ENOENT if the chunk has
 * been recycled (the caller continues with the next one), -EPROTO if its header is damaged, or -EIO
 * if the file has been shortened. */
int arena_reader_copy_chunk(struct arena_reader *reader, size_t position, struct chunk_copy *out);

/* A walk over the blocks of a copied chunk. */
struct block_cursor {
    const uint8_t *next, *end;
};
void block_cursor_init(struct block_cursor *cursor, const struct chunk_copy *chunk);
/* Returns 1 with the entry's kind and its payload (the bytes after the kind), 0 at the end, or
 * -EPROTO if the block is damaged. */
int block_cursor_next(struct block_cursor *cursor, uint8_t *kind, const uint8_t **payload,
                      size_t *payload_bytes);

/* Returns whether any chunk contains entries other than ticks. Reads chunks until it finds one,
 * which changes what arena_reader_info() reports as read. */
bool arena_reader_holds_recordings(struct arena_reader *reader);

/* --- Decoding entries. Each function checks all bytes and returns 0 or -EPROTO. --- */

enum { SAMPLE_MAX_FRAMES = 1024 };

/* A frame in a stack: an address or a label. */
struct stack_frame {
    uint64_t value; /* address, or site id */
    bool is_label;
};

/* The last stack of a thread in a chunk, outermost frame first. Decoding updates it. */
struct stack_state {
    uint32_t depth;
    struct stack_frame frames[SAMPLE_MAX_FRAMES];
};

struct sample_entry {
    uint32_t thread_index;
    uint64_t ticks_after_tick;
    uint64_t cpu_us;
    uint32_t kept, added;
    const uint8_t *frames; /* encoded; to be passed to sample_decode_stack() */
    size_t frames_bytes;
};
int entry_decode_sample(const uint8_t *payload, size_t bytes, struct sample_entry *out);
/* Applies SAMPLE to STATE, which holds the thread's previous stack in the chunk (depth 0 at the
 * chunk's start). After -EPROTO, STATE holds a valid stack, but not that of the sample. */
int sample_decode_stack(const struct sample_entry *sample, struct stack_state *state);

struct allocation_entry {
    uint32_t owner_index, actor_index;
    int64_t ticks_after; /* relative to the previous time in the chunk */
    int64_t size;        /* negative: freed */
    uint64_t address;
    struct sample_entry stack; /* only kept, added and frames are set; decode it with
                                * sample_decode_stack() and a state that is used for allocations
                                * alone */
};
int entry_decode_allocation(const uint8_t *payload, size_t bytes, struct allocation_entry *out);

enum marker_phase {
    PHASE_INSTANT = 0,
    PHASE_INTERVAL = 1,
    PHASE_INTERVAL_START = 2,
    PHASE_INTERVAL_END = 3,
};

/* What follows the site. */
enum marker_content {
    MARKER_BARE = 0,
    MARKER_WITH_TEXT = 1,
    MARKER_WITH_PAYLOAD = 2,
    MARKER_WITH_EITHER = 3, /* decided by the site: a payload if the site has a marker type, else
                             * text */
};

enum { MARKER_MAX_FRAMES = 256 };

struct marker_entry {
    uint64_t ticks_delta; /* relative to the previous time in the chunk */
    enum marker_phase phase;
    uint64_t duration_ticks;
    uint32_t site;
    enum marker_content content;
    struct arena_string text;     /* text or payload; if there is none, length is 0 and bytes is
                                   * NULL */
    int64_t ticks_ago;            /* how long before the time it ended or happened */
    uint32_t thread_index_plus_1; /* 0: the thread that wrote the marker */
    uint32_t frame_count;         /* length of its stack, at most MARKER_MAX_FRAMES */
    int64_t stack_ticks_ago;      /* how long before the time the stack was captured */
    const uint8_t *frames;        /* encoded; to be passed to marker_decode_stack() */
    size_t frames_bytes;
};
int entry_decode_marker(uint8_t kind, const uint8_t *payload, size_t bytes,
                        struct marker_entry *out);

/* Decodes the stack of MARKER, outermost frame first, into FRAMES, which has room for
 * MARKER_MAX_FRAMES. */
int marker_decode_stack(const struct marker_entry *marker, struct stack_frame *frames);

/* TICK: its delta. SAME: thread index, ticks after the TICK, CPU time in µs. LATE: thread index. */
int entry_decode_tick(const uint8_t *payload, size_t bytes, uint64_t *ticks_delta);
/* Sets *COUNT to a number from 1 to QUIET_TICKS_MOST. */
int entry_decode_quiet_ticks(const uint8_t *payload, size_t bytes, uint32_t *count,
                             uint64_t *ticks_delta);
int entry_decode_same(const uint8_t *payload, size_t bytes, struct sample_entry *out);
int entry_decode_late(const uint8_t *payload, size_t bytes, uint32_t *thread_index);

/* A century. Anything longer is damage. */
#define EVENT_DELAY_MOST_US UINT64_C(3200000000000000)

struct event_delay_entry {
    uint32_t thread_index;
    uint64_t delay_us; /* at most EVENT_DELAY_MOST_US */
};
int entry_decode_event_delay(const uint8_t *payload, size_t bytes, struct event_delay_entry *out);

struct unregistered_entry {
    enum unregistered_state state;
    uint32_t tid;
    uint64_t ticks_after_tick;
    uint64_t period_ticks, cpu_us;
    struct arena_string name;
};
int entry_decode_unregistered(const uint8_t *payload, size_t bytes, struct unregistered_entry *out);

#endif
