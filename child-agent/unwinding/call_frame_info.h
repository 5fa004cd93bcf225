/* A small reader of .eh_frame: for a code address, the row that tells where the caller's registers
 * are.
 *
 * Reads the binary search table of .eh_frame_hdr, and the CIE and FDE found through it, whose
 * call-frame operations frame_operations.h runs up to the address. Pure functions of the bytes
 * given; every read is checked against their bounds, and the work is bounded: the bytes may be
 * anything. Any thread. */
#ifndef PROFD_AGENT_CALL_FRAME_INFO_H
#define PROFD_AGENT_CALL_FRAME_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/frame_operations.h"

/* The tables of one module: where they can be read, and where they are (or were) in the program,
 * which is what their contents are relative to. */
struct frame_tables {
    const uint8_t *header; /* .eh_frame_hdr */
    size_t header_bytes;
    uint64_t header_address;
    const uint8_t *frames; /* .eh_frame, and perhaps more behind it */
    size_t frames_bytes;
    uint64_t frames_address;
};

/* Where .eh_frame is in the program, by its header. -EINVAL: not a header we understand. */
int frame_header_locate(const uint8_t *header, size_t bytes, uint64_t header_address,
                        uint64_t *frames_address);

/* The binary search table within the header: COUNT pairs of 32-bit offsets (code, FDE), relative to
 * the header's address, sorted by code. -ENOENT: there is none, or it is of another form. */
int frame_header_table(const uint8_t *header, size_t bytes, uint64_t header_address,
                       size_t *table_offset, size_t *count);

/* The row for the instruction at ADDRESS, with what it says of register OTHER (DWARF's number).
 * -ENOENT: no table, or nothing covers the address; -ENOTSUP: an operation or encoding that is not
 * among the common ones; -EINVAL: malformed. */
int frame_tables_find_row(const struct frame_tables *tables, uint64_t address, uint32_t other,
                          struct frame_row *out);

#endif
