/* Writing the records of a raw capture (json/raw_capture.h).
 *
 * A struct raw_out collects records and passes many of them on at once, since few large writes to a
 * file are faster than many small ones. One thread. */
#ifndef PROFD_JSON_RAW_RECORDS_H
#define PROFD_JSON_RAW_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_writer.h"
#include "json/raw_capture.h"

struct raw_out {
    json_sink_write write;                         /* 0, or a negative errno, which is passed on */
    void (*expect)(void *context, uint64_t bytes); /* for raw_out_expect(); NULL: not needed */
    void *context;
    uint8_t *records; /* owned; waiting records, and room for the next one */
    size_t used, capacity;
    uint64_t bytes; /* that were put */
};

/* Returns 0 or -ENOMEM. OUT needs raw_out_fini() in any case. */
int raw_out_init(struct raw_out *out, json_sink_write write, void *context);
void raw_out_fini(struct raw_out *out);

/* Announces that up to COUNT bytes will be put, so that the writer can reserve space. */
void raw_out_expect(struct raw_out *out, uint64_t count);

/* Returns room for the contents of a record of COUNT bytes, valid until the next call. NULL: out of
 * memory. */
uint8_t *raw_out_room(struct raw_out *out, size_t count);

/* Puts a record of KIND with the COUNT bytes in that room. Returns 0 or the error of writing. */
int raw_out_put(struct raw_out *out, enum raw_kind kind, size_t count);

/* Writes the waiting records. Returns 0 or the error of writing. */
int raw_out_flush(struct raw_out *out);

/* Puts the facts about a process, as RAW_PROCESS or RAW_UNPROFILED. Returns 0, -ENOMEM, or the
 * error of writing. */
int raw_out_put_process(struct raw_out *out, enum raw_kind kind,
                        const struct raw_process_facts *facts);

/* Make a record of KIND around a text that is written straight to FD, an empty memory file. Begin
 * leaves room for the record, and if IS_FIRST for the struct raw_file before it, and adds that to
 * *BYTES, the size of the text; end fills it in. Return 0 or a negative errno. */
int raw_text_begin(int fd, bool is_first, uint64_t *bytes);
int raw_text_end(int fd, enum raw_kind kind, uint64_t bytes);

#endif
