/* The samples of a thread, as compact rows that are kept until its table is written.
 *
 * A row is two or four LEB128 numbers: the ticks since the thread's previous row, a code for the
 * stack (see below) and, unless it is late, the ns behind the tick and the CPU use in µs. A thread
 * that slept through a tick has no row, though the JSON has a sample for it, so rows take only a
 * small part of the memory of their JSON. Written by gecko_samples.c, read by
 * gecko_sample_table.c. */
#ifndef PROFD_JSON_GECKO_SAMPLE_ROWS_H
#define PROFD_JSON_GECKO_SAMPLE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer/leb128.h"

enum {
    ROW_LATE = 0,
    ROW_NO_STACK = 1,
    ROW_FIRST_STACK = 2, /* plus the index of the stack */
    SAMPLE_ROW_MAX_BYTES = 4 * LEB128_MAX_BYTES,
};

struct sample_row {
    uint32_t tick;
    uint64_t code, offset_ns, cpu_us;
};

static inline bool sample_row_take_number(const uint8_t **in, const uint8_t *end, uint64_t *out)
{
    *in = leb128_read(*in, end, out);
    return *in != NULL;
}

/* Reads the next row into *ROW, whose tick is that of the previous one. Returns false at the end.
 * We wrote the rows ourselves, so none should be cut short; if one is, *IN is NULL. */
static inline bool sample_row_next(const uint8_t **in, const uint8_t *end, struct sample_row *row)
{
    uint64_t ticks_on = 0;
    if (*in == end)
        return false;
    if (!sample_row_take_number(in, end, &ticks_on) || !sample_row_take_number(in, end, &row->code))
        return false;
    row->tick += (uint32_t)ticks_on;
    if (row->code == ROW_LATE)
        return true;
    return sample_row_take_number(in, end, &row->offset_ns) &&
           sample_row_take_number(in, end, &row->cpu_us);
}

#endif
