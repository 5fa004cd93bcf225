/* DWARF expressions as they occur in unwind tables, evaluated without knowing the registers.
 *
 * The pc is known, since a rule belongs to one address; a register remains a symbol. The result has
 * one of three forms; anything else is not supported. Pure functions of their arguments; the bytes
 * may contain anything. */
#ifndef PROFD_AGENT_FRAME_EXPRESSION_H
#define PROFD_AGENT_FRAME_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/frame_reader.h"

enum value_form {
    VALUE_CONSTANT,    /* offset */
    VALUE_REGISTER,    /* register + offset */
    VALUE_AT_REGISTER, /* the 8 bytes at register + offset, + addend */
};

struct frame_value {
    enum value_form form;
    uint32_t number; /* of the register */
    int64_t offset;
    int64_t addend; /* 0 except for VALUE_AT_REGISTER */
};

/* Evaluates EXPRESSION at PC. Returns false if the value has none of these forms or the expression
 * is malformed. */
bool frame_expression_evaluate(struct frame_expression expression, uint64_t pc,
                               struct frame_value *out);

#endif
