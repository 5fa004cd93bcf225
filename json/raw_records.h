/* Writing the records of a raw capture (json/raw_capture.h).
 *
 * A struct raw_out collects records and hands many of them on at once: a file takes few large
 * writes faster than many small ones. One thread. */
#ifndef PROFD_JSON_RAW_RECORDS_H
#define PROFD_JSON_RAW_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_writer.h"
#include "json/raw_capture.h"

struct raw_out {
    json_sink_write write;                         /* 0, or a negative errno, which is passed on */
    void (*expect)(void *context, uint64_t bytes); /* of raw_out_expect(); NULL: it is of no use */
    void *context;
    uint8_t *records; /* owned; those that wait, and room for the next one */
    size_t used, capacity;
    uint64_t bytes; /* that were put */
};

/* -ENOMEM; OUT needs raw_out_fini() in any case. */
int raw_out_init(struct raw_out *out, json_sink_write write, void *context);
void raw_out_fini(struct raw_out *out);

/* Says that up to COUNT bytes are about to be put: who writes them can set room aside. */
void raw_out_expect(struct raw_out *out, uint64_t count);

/* Room for a record of COUNT bytes, where its contents go. NULL: no memory. Valid until the next
 * call. */
uint8_t *raw_out_room(struct raw_out *out, size_t count);

/* Puts the record of KIND whose COUNT bytes are in the room. 0 or the error of writing. */
int raw_out_put(struct raw_out *out, enum raw_kind kind, size_t count);

/* Writes what waits. 0 or the error of writing. */
int raw_out_flush(struct raw_out *out);

/* The facts of a process, as RAW_PROCESS or RAW_UNPROFILED. 0, -ENOMEM, or the error of writing. */
int raw_out_put_process(struct raw_out *out, enum raw_kind kind,
                        const struct raw_process_facts *facts);

/* A record of KIND around a text that is written straight to FD, an empty file of memory: begin
 * leaves room, in front of all the struct raw_file when IS_FIRST, and adds it to *BYTES, those of
 * the text; end fills it in. 0 or a negative errno. */
int raw_text_begin(int fd, bool is_first, uint64_t *bytes);
int raw_text_end(int fd, enum raw_kind kind, uint64_t bytes);

#endif
