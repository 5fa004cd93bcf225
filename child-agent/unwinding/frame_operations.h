/* Runs call-frame operations, which give the row of a code address from the common information of
 * functions (CIE) and the description of one function (FDE).
 *
 * Only what a compact rule needs is kept: the canonical frame address (CFA), rbp and the return
 * address. Pure functions of the bytes given; the work is limited. Any thread. */
#ifndef PROFD_AGENT_FRAME_OPERATIONS_H
#define PROFD_AGENT_FRAME_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/frame_reader.h"

enum register_place {
    REGISTER_SAME,      /* not changed, or not mentioned */
    REGISTER_UNDEFINED, /* lost; for the return address: there is no caller */
    REGISTER_AT_OFFSET, /* saved at CFA + offset */
    REGISTER_AT_EXPRESSION,
    REGISTER_IN_REGISTER,
    REGISTER_ELSEWHERE, /* a computed value */
};

struct register_rule {
    enum register_place place;
    uint32_t number; /* DWARF's number of the register that holds it */
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
    struct register_rule other; /* the requested register */
};

/* The information that several functions have in common. */
struct common_information {
    uint64_t code_alignment;
    int64_t data_alignment;
    uint64_t return_register;
    uint8_t pointer_encoding;
    bool has_augmentation;
    bool is_signal_frame;
    struct frame_reader operations;
};

/* One function, or a part of one. */
struct frame_description {
    uint64_t start, bytes; /* its code */
    struct frame_reader operations;
    uint64_t header_address; /* of .eh_frame_hdr, for pointers that are relative to it */
};

/* Computes the row for the instruction at ADDRESS, which FDE covers, including the rule of register
 * OTHER (DWARF's number). Returns 0, -ENOTSUP for an uncommon operation, or -EINVAL if the tables
 * are malformed. */
int frame_operations_run(const struct common_information *cie, const struct frame_description *fde,
                         uint64_t address, uint32_t other, struct frame_row *out);

#endif
