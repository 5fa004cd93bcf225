/* A raw capture (NAME.profd): the recordings of processes, unchanged, in one file.
 *
 *     raw_file   record   record   …
 *
 * Each record is a struct raw_record and the bytes whose number it has. All numbers are
 * little-endian, and nothing is aligned. The order is
 *
 *     HEAD   { PROCESS CHUNK* FRONT PROCESS_END | UNPROFILED | VOID }*   TAIL   LIST*   END
 *
 * HEAD and TAIL are JSON from json/gecko/gecko_root.h; json/gecko/gecko_process.h makes the
 * elements between them from the other records, when they are needed. A file without END was cut
 * short. profd writes a stream up to TAIL; profctl adds the names of generated code.
 *
 * Here is what both sides share: the layout, and the checks of single records. The order of records
 * is checked by the reader (profctl/raw/raw_reader.h). Any thread. */
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
    uint32_t arena_version; /* ARENA_VERSION of the recording agents */
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
    RAW_LIST = 9,        /* struct raw_list, then a perf map or jitdump, unchanged */
    RAW_END = 10,        /* nothing */
};

struct raw_record {
    uint32_t kind; /* enum raw_kind */
    uint32_t check;
    uint64_t bytes; /* that follow */
};

/* What an arena does not contain about its process; the numbers are those of struct
 * gecko_process_options. It is followed by five strings, whose lengths it has, without gaps. */
struct raw_process {
    uint64_t id; /* unique in the file */
    uint64_t reference_ns, reference_unix_ns, capture_ns, since_ns;
    uint64_t process_start_ns, end_ns;
    uint64_t cpu_total_ns, cpu_before_ns;
    uint32_t cpu_end; /* enum cpu_time_end */
    uint32_t verdict, outcome;
    int32_t code;
    uint32_t later_images;
    uint32_t may_be_left_out; /* 1: may be omitted if it has no samples or markers */
    int32_t pid;              /* as profd sees it; the process's own view may differ */
    int32_t parent_pid;       /* this and all below: of UNPROFILED, else 0 */
    uint64_t start_ns;
    uint64_t produced_blocks, produced_bytes, dropped_blocks, dropped_bytes;
    uint32_t reason_bytes, title_bytes, filters_bytes, executable_bytes;
    uint32_t command_line_bytes; /* with NULs between the arguments */
    uint32_t unused;             /* 0 */
};

/* The front of an arena. It is read after the chunks, so it names everything that is in them. The
 * positions of chunks in the file do not matter: a reader may place them as it likes. */
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

/* The process with this ID ended while its records, which come before, were written, or could not
 * be read completely: the records must not be used. */
struct raw_void {
    uint64_t id;
};

enum raw_list_kind { RAW_LIST_PERF_MAP = 0, RAW_LIST_JITDUMP = 1 };

/* The names of the code that a process generated. */
struct raw_list {
    int64_t pid;   /* as in the profile: unique (gecko_unique_pid()) */
    uint64_t kind; /* enum raw_list_kind */
};

enum {
    RAW_PROCESS_STRINGS = 5,
    RAW_STRING_BYTES = 8192, /* the longest one */
    RAW_PROCESS_BYTES = sizeof(struct raw_process) + RAW_PROCESS_STRINGS * RAW_STRING_BYTES,
};

/* The checksum of a record of KIND with COUNT BYTES. It detects damage, not malice. */
uint32_t raw_check(uint32_t kind, const void *bytes, size_t count);

/* The facts about a process, for writing. Strings are borrowed, may be NULL, and are cut at
 * RAW_STRING_BYTES. raw_process_put() writes them to OUT, which has room for RAW_PROCESS_BYTES, and
 * returns the number of bytes. */
struct raw_process_facts {
    uint64_t id;
    int32_t pid;
    bool may_be_left_out;
    struct gecko_process_options options;
    struct gecko_unprofiled_process unprofiled; /* of UNPROFILED */
};
size_t raw_process_put(const struct raw_process_facts *facts, uint8_t *out);

/* The same for reading. Strings are terminated and in TEXTS, which the caller owns. Returns 0, or
 * -EPROTO for bytes that raw_process_put() never writes. */
struct raw_process_texts {
    char texts[RAW_PROCESS_STRINGS][RAW_STRING_BYTES + 1];
};
int raw_process_get(const uint8_t *bytes, size_t count, struct raw_process_texts *texts,
                    struct raw_process_facts *out);

#endif
