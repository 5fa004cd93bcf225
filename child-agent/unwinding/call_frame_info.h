/* A small reader of .eh_frame: finds, for a code address, the row that says where the caller's
 * registers are.
 *
 * It reads the binary search table of .eh_frame_hdr and the CIE and FDE found through it;
 * frame_operations.h runs their call-frame operations up to the address. The functions are pure.
 * The bytes may contain anything: every read is checked against their bounds, and the work is
 * limited. Any thread. */
#ifndef PROFD_AGENT_CALL_FRAME_INFO_H
#define PROFD_AGENT_CALL_FRAME_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/frame_operations.h"

/* The tables of one module: where they can be read, and the addresses that they have (or had) in
 * the program, to which their contents are relative. */
struct frame_tables {
    const uint8_t *header; /* .eh_frame_hdr */
    size_t header_bytes;
    uint64_t header_address;
    const uint8_t *frames; /* .eh_frame, and possibly more after it */
    size_t frames_bytes;
    uint64_t frames_address;
};

/* Finds the address of .eh_frame in the program from its header. Returns 0, or -EINVAL if the
 * header is not of a known form. */
int frame_header_locate(const uint8_t *header, size_t bytes, uint64_t header_address,
                        uint64_t *frames_address);

/* Finds the binary search table within the header: COUNT pairs of 32-bit offsets (code, FDE)
 * relative to the header's address, sorted by code. Returns 0, or -ENOENT if there is none or it
 * has another form. */
int frame_header_table(const uint8_t *header, size_t bytes, uint64_t header_address,
                       size_t *table_offset, size_t *count);

/* Finds the row for the instruction at ADDRESS, including the rule of register OTHER (DWARF's
 * number). Returns 0; -ENOENT if there is no table or nothing covers the address; -ENOTSUP for an
 * uncommon operation or encoding; -EINVAL if the tables are malformed. */
int frame_tables_find_row(const struct frame_tables *tables, uint64_t address, uint32_t other,
                          struct frame_row *out);

/* Finds the function, or the part of one, that the instruction at ADDRESS belongs to: *BYTES from
 * *START. Returns as frame_tables_find_row(). */
int frame_tables_find_function(const struct frame_tables *tables, uint64_t address, uint64_t *start,
                               uint64_t *bytes);

#endif
