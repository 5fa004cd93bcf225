/* Reads JSON of any size as a stream of tokens, with bounded memory.
 *
 *     {"a":[1,"x"]}   START_OBJECT  KEY a  START_ARRAY  NUMBER 1  STRING x  END_ARRAY  END_OBJECT
 * END
 *
 * The memory is one window, which grows, up to a limit, only for a token that is longer. Nesting is
 * limited. Input is checked as it is read: structure, numbers, escapes, and that nothing follows
 * the document. Strings are raw (as written, without quotes) and are decoded only on request.
 * Errors are sticky, and have the offset of the offending byte. For profctl and profd, not inside
 * profiled programs. One thread. */
#ifndef PROFD_JSON_JSON_READER_H
#define PROFD_JSON_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    JSON_READER_MAX_DEPTH = 256,
    JSON_READER_MAX_TOKEN_BYTES = 64 * 1024 * 1024,
};

enum json_token {
    JSON_TOKEN_END = 0, /* the document is complete and nothing follows */
    JSON_TOKEN_START_OBJECT,
    JSON_TOKEN_END_OBJECT,
    JSON_TOKEN_START_ARRAY,
    JSON_TOKEN_END_ARRAY,
    JSON_TOKEN_KEY,
    JSON_TOKEN_STRING,
    JSON_TOKEN_NUMBER,
    JSON_TOKEN_TRUE,
    JSON_TOKEN_FALSE,
    JSON_TOKEN_NULL,
};

struct json_reader; /* opaque */

/* Fills BYTES with up to N bytes. Returns their number, 0 at the end, or a negative errno. */
typedef ssize_t (*json_source_read)(void *context, char *bytes, size_t n);

/* Open a reader over a source or a descriptor. FD and CONTEXT are borrowed. Return 0 or -ENOMEM. */
int json_reader_open(json_source_read read, void *context, struct json_reader **out);
int json_reader_open_fd(int fd, struct json_reader **out);
/* Opens a reader over MEMORY, which is borrowed and not copied. */
int json_reader_open_memory(const char *memory, size_t bytes, struct json_reader **out);
void json_reader_close(struct json_reader *reader);

/* Returns the next token (enum json_token), or a negative errno: -EPROTO for malformed JSON, -E2BIG
 * for nesting or a token beyond the limits, -ENOMEM, or the source's error. Once there is an error,
 * every call returns it. */
int json_reader_next(struct json_reader *reader);

/* Whether the open collection has another element or member: returns 1, 0 if its end comes next (or
 * no collection is open), or an error as json_reader_next(). Not to be called between a KEY and its
 * value. The last token is no longer valid. */
int json_reader_more(struct json_reader *reader);

/* The number of open collections, including one that has just started, but not one that has just
 * ended. */
unsigned json_reader_depth(const struct json_reader *reader);

/* --- About the token that next returned; views are valid until the next call of next, skip or copy
 * --- */

/* KEY, STRING: the text between the quotes. NUMBER: its text. Not terminated. */
const char *json_reader_raw(const struct json_reader *reader, size_t *length);

/* KEY, STRING: decoded to UTF-8 (lone surrogates as U+FFFD), terminated, *LENGTH without the
 * terminator. 0 or -ENOMEM. */
int json_reader_string(struct json_reader *reader, const char **text, size_t *length);

/* True if the token is a KEY or STRING that decodes to TEXT. */
bool json_reader_is(struct json_reader *reader, const char *text);

/* NUMBER as a double; as an integer (-ERANGE if it has a fraction or an exponent, or does not
 * fit). */
double json_reader_double(const struct json_reader *reader);
int json_reader_i64(const struct json_reader *reader, int64_t *value);
int json_reader_u64(const struct json_reader *reader, uint64_t *value);

/* --- Whole values --- */

/* After START_OBJECT or START_ARRAY: skips past the end of the collection. After KEY: skips the
 * value. After anything else: does nothing. Returns 0 or an error as json_reader_next(). */
int json_reader_skip(struct json_reader *reader);

/* Reads the next value and passes its text, unchanged, to WRITE in pieces. To be called where a
 * value can come: after a KEY, or in an array that has another element. Returns 0, an error as
 * json_reader_next(), or WRITE's error. */
int json_reader_copy_value(struct json_reader *reader,
                           int (*write)(void *context, const char *bytes, size_t n), void *context);

/* --- Errors --- */

/* The offset of the end of the last token, or of the error. */
uint64_t json_reader_offset(const struct json_reader *reader);

/* Refuses the document, though it is well-formed, because of its contents: that is the error from
 * now on, unless there already is one. Returns the error: -EPROTO, or the earlier one. */
int json_reader_refuse(struct json_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One line for people, such as "byte 17: expected ':' after a key"; "" if there is no error. */
const char *json_reader_error(const struct json_reader *reader);

#endif
