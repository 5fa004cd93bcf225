/* The inside of a reader. Included by arena_reader.c and arena_records.c only. */
#ifndef PROFD_BUFFER_ARENA_READER_STATE_H
#define PROFD_BUFFER_ARENA_READER_STATE_H

#include "buffer/arena_reader.h"
#include "buffer/arena_source.h"

/* A chunk worth reading: where it was, and which life of it. */
struct listed_chunk {
    uint64_t range_start;
    uint32_t slot;
    uint32_t block_count, used_bytes; /* when it was listed */
};

struct arena_reader {
    struct arena_source source;
    struct arena_info info;
    uint64_t chunks_offset;
    struct clock_pair latest;   /* on both clocks */
    double process_ns_per_tick; /* over the whole time that the arena covers */
    size_t records_next;        /* in the dictionary */
    size_t records_counted;     /* damage before this is in info.bad_records already */
    uint32_t dictionary_bytes;  /* copied */
    uint8_t *dictionary;        /* behind the chunks, in the same mapping */
    size_t mapped_bytes;        /* of all this */
    bool is_exact; /* what was produced, at the moment of the list; else it is at least so much */
    size_t chunk_count;
    struct listed_chunk chunks[]; /* by range_start */
};

#endif
