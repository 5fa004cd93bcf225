/* A small reader of .eh_frame: for a code address, the row that tells where the caller's registers
 * are.
 *
 * Reads the binary search table of .eh_frame_hdr, the CIE and FDE found through it, and runs their
 * call-frame operations up to the address. Only what a compact rule needs is kept: the canonical
 * frame address (CFA), rbp and the return address. Pure functions of the bytes given; every read is
 * checked against their bounds, and the work is bounded: the bytes may be anything. Any thread. */
#ifndef PROFD_AGENT_CALL_FRAME_INFO_H
#define PROFD_AGENT_CALL_FRAME_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* A DWARF expression, inside the tables. */
struct frame_expression {
    const uint8_t *bytes;
    size_t count;
};

enum register_place {
    REGISTER_SAME,      /* not changed (or nothing said) */
    REGISTER_UNDEFINED, /* lost; for the return address: there is no caller */
    REGISTER_AT_OFFSET, /* saved at CFA + offset */
    REGISTER_AT_EXPRESSION,
    REGISTER_IN_REGISTER,
    REGISTER_ELSEWHERE, /* a computed value */
};

struct register_rule {
    enum register_place place;
    uint32_t number; /* DWARF's, of the register that it is in */
    int64_t offset;
    struct frame_expression expression;
};

struct frame_row {
    bool is_signal_frame;
    bool is_cfa_expression;
    uint32_t cfa_register; /* DWARF's number */
    int64_t cfa_offset;
    struct frame_expression cfa_expression;
    struct register_rule rbp;
    struct register_rule return_address;
    struct register_rule other; /* the register asked for */
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
