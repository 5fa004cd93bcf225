/* A fast streaming JSON writer, in two kinds: into memory, or through a sink.
 *
 * Text goes into chunks of mapped memory (never malloc, since this runs inside profiled programs).
 * A memory writer keeps its chain of chunks until it is spliced into another writer, written out,
 * or freed. A sink writer has one chunk, which it passes to its sink whenever it is full, so its
 * memory does not grow with the document.
 *
 * The writer puts commas where they belong; the caller is responsible for names and nesting (end
 * what you start). A failure (no memory, or the sink's error) goes to the failure latch, and from
 * then on writes do nothing. One thread at a time. */
#ifndef PROFD_JSON_JSON_WRITER_H
#define PROFD_JSON_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"

enum {
    JSON_CHUNK_BYTES = 128 * 1024, /* mapped at once, header included */
    JSON_SCALAR_MAX_BYTES = 64,    /* no number, literal or separator is longer */
};

/* Takes N bytes. Returns 0, or a negative errno, after which it is not called again. */
typedef int (*json_sink_write)(void *context, const char *bytes, size_t n);

struct json_chunk;

/* Public for inlining; use the functions. */
struct json_writer {
    char *next, *end; /* room in the last chunk */
    struct json_chunk *first, *last;
    uint64_t earlier_bytes; /* in chunks before the last, or passed to the sink */
    json_sink_write write;  /* NULL: memory writer */
    void *context;
    struct failure_latch *latch; /* borrowed */
    bool needs_comma;
    char scratch[JSON_SCALAR_MAX_BYTES * 2]; /* where writes go after a failure */
};

/* --- Life cycle --- */

/* Initialise a memory writer, and a sink writer. Nothing is mapped before the first write. */
void json_writer_init(struct json_writer *writer, struct failure_latch *latch);
void json_writer_init_sink(struct json_writer *writer, json_sink_write write, void *context,
                           struct failure_latch *latch);
/* A json_sink_write that writes everything to the descriptor *(int *)CONTEXT with write(2). */
int json_sink_fd(void *context, const char *bytes, size_t n);

/* Passes what is left to the sink; does nothing for a memory writer. Returns the latch's error. */
int json_writer_flush(struct json_writer *writer);
/* Frees all chunks; a sink writer's unflushed text is lost. Safe on a zeroed struct, and to repeat.
 */
void json_writer_fini(struct json_writer *writer);

/* Bytes written so far. */
uint64_t json_writer_bytes(const struct json_writer *writer);

/* Passes a memory writer's whole text to WRITE, chunk by chunk, and keeps it. Returns 0 or WRITE's
 * error. */
int json_writer_copy_out(const struct json_writer *writer, json_sink_write write, void *context);

/* --- Collections; `property` variants put a name before --- */

void json_start_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_start_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);

/* NAME is escaped like any string; its value must come next. */
void json_name(struct json_writer *writer, const char *name);
void json_name_bytes(struct json_writer *writer, const char *name, size_t length);
void json_start_object_property(struct json_writer *writer, const char *name);
void json_start_array_property(struct json_writer *writer, const char *name);

/* --- Values --- */

void json_null(struct json_writer *writer);
/* COUNT nulls, as array elements. */
void json_nulls(struct json_writer *writer, size_t count);
void json_bool(struct json_writer *writer, bool value);
void json_u64(struct json_writer *writer, uint64_t value);
void json_i64(struct json_writer *writer, int64_t value);
/* NANOSECONDS as milliseconds, exactly: 1234567 as 1.234567, 1500000 as 1.5, 0 as 0. */
void json_time_ms(struct json_writer *writer, int64_t nanoseconds);
/* VALUE with up to 6 digits after the point; null when it is not finite. */
void json_double(struct json_writer *writer, double value);
/* Strings: quotes, backslashes and control characters are escaped, invalid UTF-8 becomes U+FFFD. */
void json_string(struct json_writer *writer, const char *text);
void json_string_bytes(struct json_writer *writer, const char *bytes, size_t length);
/* "0x7f00…": an address as a string, in lower case without leading zeros. */
void json_address(struct json_writer *writer, uint64_t address);

void json_bool_property(struct json_writer *writer, const char *name, bool value);
void json_null_property(struct json_writer *writer, const char *name);
void json_u64_property(struct json_writer *writer, const char *name, uint64_t value);
void json_i64_property(struct json_writer *writer, const char *name, int64_t value);
void json_time_ms_property(struct json_writer *writer, const char *name, int64_t nanoseconds);
void json_double_property(struct json_writer *writer, const char *name, double value);
void json_string_property(struct json_writer *writer, const char *name, const char *text);

/* --- Splicing --- */

/* Writes BYTES, well-formed JSON, as one value (or as several elements with commas between
 * them). */
void json_splice_bytes(struct json_writer *writer, const char *bytes, size_t length);

/* Moves SOURCE's text, one value or several elements with commas between them, to the end of WRITER
 * without copying it: a memory writer takes over the chunks, a sink writer passes them on. SOURCE,
 * a memory writer, is empty afterwards and can be used again. An empty SOURCE changes nothing. */
void json_splice(struct json_writer *writer, struct json_writer *source);

#endif
