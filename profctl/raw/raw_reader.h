/* Reads a raw capture (json/raw_capture.h) record by record, and believes nothing of it: the order,
 * the sizes and the checks of all records.
 *
 * A reader is a pass over the file. One thread. */
#ifndef PROFD_PROFCTL_RAW_READER_H
#define PROFD_PROFCTL_RAW_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/raw_capture.h"

enum { RAW_ERROR_BYTES = 160 };

/* Which record may come next. */
enum raw_state { RAW_AT_START, RAW_BETWEEN, RAW_IN_PROCESS, RAW_BEHIND_FRONT, RAW_BEHIND_TAIL };

struct raw_reader {
    int fd; /* borrowed */
    uint64_t file_bytes, offset;
    enum raw_state state;
    uint64_t process;   /* the id of the one that is open */
    bool skips_chunks;  /* their contents are neither read nor checked: set it after init */
    bool passes_damage; /* with is_damaged, where a good record is behind it; likewise */
    bool is_cut;        /* what is wrong with the file is that nothing good comes any more */
    uint8_t *room;      /* owned */
    size_t capacity;
    char error[RAW_ERROR_BYTES]; /* what is wrong with the file, and where; "": nothing */
};

/* A record that was checked. */
struct raw_view {
    enum raw_kind kind;
    uint64_t offset;      /* in the file, of its contents */
    const uint8_t *bytes; /* NULL: skipped */
    size_t count;
    bool is_damaged; /* it is none: so many bytes from OFFSET on are not what was written, or need
                      * what is not there; with the next it goes on */
    bool is_of_process; /* … they are the rest of the process that is open */
};

/* Returns whether FD is a regular file that begins as raw captures do. */
bool raw_reader_knows(int fd);

/* Opens such a file; -1: PATH is none. */
int raw_reader_open(const char *path);

/* Begins a pass over FD, which keeps its position. Returns 0; -EPROTO if it is not a raw capture of
 * our version, with READER->error; errors of fstat and pread. Needs raw_reader_fini() in any
 * case. */
int raw_reader_init(struct raw_reader *reader, int fd);
void raw_reader_fini(struct raw_reader *reader);

/* 1 with the next record in *OUT, valid until the next call; 0 behind the last one, RAW_END; or
 * -EPROTO with READER->error, -ENOMEM, an error of pread. */
int raw_reader_next(struct raw_reader *reader, struct raw_view *out);

#endif
