/* A raw capture (NAME.profd): what processes recorded, as it is, in one file.
 *
 *     raw_file   record   record   …
 *
 * Each record is a struct raw_record and so many bytes. All numbers are little-endian, and nothing
 * is aligned. The order is
 *
 *     HEAD   { PROCESS CHUNK* FRONT PROCESS_END | UNPROFILED | VOID }*   TAIL   LIST*   END
 *
 * HEAD and TAIL are JSON, as json/gecko/gecko_root.h makes it; the elements between them are made
 * of the other records by json/gecko/gecko_process.h, whenever they are wanted. A file without END
 * was cut short. profd writes up to TAIL, in a stream; profctl adds what generated code is called.
 *
 * Here is what both sides share: the layout, and the checks of single records. What is told of a
 * record's order is the reader's affair (profctl/raw/raw_reader.h). Any thread. */
#ifndef PROFD_JSON_RAW_CAPTURE_H
#define PROFD_JSON_RAW_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "json/gecko/gecko_process.h"

#define RAW_MAGIC_LETTERS 'P', 'R', 'O', 'F', 'D', 'R', 'A', 'W'

enum { RAW_VERSION = 4 };

struct raw_file {
    char magic[8]; /* RAW_MAGIC_LETTERS */
    uint32_t version;
    uint32_t arena_version; /* ARENA_VERSION of who recorded */
};

enum raw_kind {
    RAW_HEAD = 1,        /* JSON, up to the first process */
    RAW_TAIL = 2,        /* JSON, behind the last one: meta, counters, the gathering's log */
    RAW_PROCESS = 3,     /* struct raw_process and its strings; its arena follows */
    RAW_FRONT = 4,       /* struct raw_front, an arena's header, its dictionary */
    RAW_CHUNK = 5,       /* struct raw_chunk, a chunk's header, its blocks */
    RAW_PROCESS_END = 6, /* struct raw_process_end */
    RAW_VOID = 7,        /* struct raw_void */
    RAW_UNPROFILED = 8,  /* struct raw_process and its strings; it has no arena */
    RAW_LIST = 9,        /* struct raw_list, then a perf map or a jitdump as it was found */
    RAW_END = 10,        /* nothing */
};

struct raw_record {
    uint32_t kind; /* enum raw_kind */
    uint32_t check;
    uint64_t bytes; /* that follow */
};

/* What an arena cannot tell of its process; the numbers are those of struct gecko_process_options.
 * Behind it are five strings of the lengths that it tells, one behind the other. */
struct raw_process {
    uint64_t id; /* unique in the file */
    uint64_t reference_ns, reference_unix_ns, capture_ns, since_ns;
    uint64_t process_start_ns, end_ns;
    uint64_t cpu_total_ns, cpu_before_ns;
    uint32_t cpu_end; /* enum cpu_time_end */
    uint32_t verdict, outcome;
    int32_t code;
    uint32_t later_images;
    uint32_t may_be_left_out; /* 1: when it holds neither samples nor markers */
    int32_t pid;              /* as profd knows it: the process' own may differ */
    int32_t parent_pid;       /* this and all below: of UNPROFILED, else 0 */
    uint64_t start_ns;
    uint64_t produced_blocks, produced_bytes, dropped_blocks, dropped_bytes;
    uint32_t reason_bytes, title_bytes, filters_bytes, executable_bytes;
    uint32_t command_line_bytes; /* with NULs between the arguments */
    uint32_t unused;             /* 0 */
};

/* An arena's own, read behind its chunks: so it names all that is in them. Where they lie in the
 * file is no matter: a reader puts them side by side again as it likes. */
struct raw_front {
    uint32_t header_bytes; /* of struct arena_header */
    uint32_t dictionary_bytes;
};

struct raw_chunk {
    uint64_t slot; /* in the arena */
};

struct raw_process_end {
    uint64_t id;
    uint64_t capture_ns; /* when its last chunk was copied */
};

/* The process with that ID, whose records come before, ended while they were written, or could not
 * be read to its end: they are not to be used. */
struct raw_void {
    uint64_t id;
};

enum raw_list_kind { RAW_LIST_PERF_MAP = 0, RAW_LIST_JITDUMP = 1 };

/* What the code is called that a process generated. */
struct raw_list {
    int64_t pid;   /* as in the profile: unique (gecko_unique_pid()) */
    uint64_t kind; /* enum raw_list_kind */
};

enum {
    RAW_PROCESS_STRINGS = 5,
    RAW_STRING_BYTES = 8192, /* the longest one */
    RAW_PROCESS_BYTES = sizeof(struct raw_process) + RAW_PROCESS_STRINGS * RAW_STRING_BYTES,
};

/* What stands in the record of BYTES of KIND. It finds damage, not malice. */
uint32_t raw_check(uint32_t kind, const void *bytes, size_t count);

/* The facts of a process, for writing: strings are borrowed, NULL: none, and cut at
 * RAW_STRING_BYTES. OUT has room for RAW_PROCESS_BYTES. Returns how many bytes it has. */
struct raw_process_facts {
    uint64_t id;
    int32_t pid;
    bool may_be_left_out;
    struct gecko_process_options options;
    struct gecko_unprofiled_process unprofiled; /* of UNPROFILED */
};
size_t raw_process_put(const struct raw_process_facts *facts, uint8_t *out);

/* The same, read: strings are terminated and in TEXTS, which belongs to the caller. 0, or -EPROTO
 * for what raw_process_put() never writes. */
struct raw_process_texts {
    char texts[RAW_PROCESS_STRINGS][RAW_STRING_BYTES + 1];
};
int raw_process_get(const uint8_t *bytes, size_t count, struct raw_process_texts *texts,
                    struct raw_process_facts *out);

#endif
