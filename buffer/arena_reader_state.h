/* The inside of a reader. Included by arena_reader.c and arena_records.c only. */
#ifndef PROFD_BUFFER_ARENA_READER_STATE_H
#define PROFD_BUFFER_ARENA_READER_STATE_H

#include "buffer/arena_reader.h"
#include "buffer/arena_source.h"

/* A chunk to read. Its slot may be recycled; RANGE_START tells one use of a slot from another. */
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
    size_t records_next;        /* position of the next record in the dictionary */
    size_t records_counted;     /* damaged records before this are already counted in
                                 * info.bad_records */
    uint32_t dictionary_bytes;  /* bytes of the dictionary that were copied */
    uint8_t *dictionary;        /* a copy, placed after the chunk list in the same mapping */
    size_t mapped_bytes;        /* size of the whole mapping */
    bool is_chunk_moving;       /* so when they were listed; the counts do not match */
    size_t chunk_count;
    struct listed_chunk chunks[]; /* sorted by range_start */
};

#endif
