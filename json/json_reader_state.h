/* The reader's internals, for its own files: the window over the input, and what is expected
 * next. */
#ifndef PROFD_JSON_JSON_READER_STATE_H
#define PROFD_JSON_JSON_READER_STATE_H

#include "json/json_reader.h"

enum expectation {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* after '[' */
    EXPECT_KEY_OR_END,   /* after '{' */
    EXPECT_COMMA_OR_END, /* after an element or member */
    EXPECT_NEXT_VALUE,   /* after a comma in an array */
    EXPECT_NEXT_KEY,     /* after a comma in an object */
    EXPECT_COLON,        /* after a key */
    EXPECT_NOTHING,      /* after the document */
};

typedef int (*json_copy_write)(void *context, const char *bytes, size_t n);

struct json_reader {
    json_source_read read; /* NULL: everything is in the window */
    void *context;
    int fd; /* the context of a reader opened by descriptor */
    char *window;
    size_t window_bytes;
    uint64_t window_offset; /* of the window's first byte in the input */
    const char *mark;       /* start of the token; kept in the window */
    const char *next, *end; /* unread input */
    bool is_all_read;

    enum expectation expectation;
    unsigned depth;
    bool is_object[JSON_READER_MAX_DEPTH];

    enum json_token token;
    const char *text; /* of the token */
    size_t text_bytes;
    bool has_escapes;
    bool is_short_number; /* a number, whose digits and places below are known */
    uint64_t digits;      /* without sign and point; at most 10^15 */
    unsigned places;      /* behind the point */
    char *decoded;
    size_t decoded_bytes;

    json_copy_write copy; /* receives what is read while a value is copied */
    void *copy_context;
    const char *copy_from; /* not yet passed to copy; NULL: the value has not begun */

    int error;
    char message[160];
};

/* --- json_window.c --- */

/* Reads more input behind `end`, keeping everything from `mark` on. Returns 1; 0 if the input has
 * ended; or an error. Moves mark, next, end and copy_from. */
int json_window_fill(struct json_reader *reader);

/* Passes what has been read of the value being copied to `copy`. Returns 0 or its error. */
int json_window_flush_copy(struct json_reader *reader);

/* Records ERROR at the next byte, with MESSAGE, unless there already is an error. Returns the
 * recorded one. */
int json_reader_fail(struct json_reader *reader, int error, const char *message);

/* --- json_scan.c --- */

/* Skips white space. Returns 1 at the first other byte, 0 at the end of the input, or an error. */
int json_scan_more_space(struct json_reader *reader);
static inline int json_scan_space(struct json_reader *reader)
{
    /* Machines write no space. */
    if ((reader->next < reader->end) && (*reader->next > ' '))
        return 1;
    return json_scan_more_space(reader);
}
/* Each starts at the token's first byte, and ends behind its last with text and text_bytes set.
 * Returns 0 or an error. */
int json_scan_string(struct json_reader *reader);
int json_scan_number(struct json_reader *reader);
int json_scan_word(struct json_reader *reader, const char *word, size_t length);

#endif
