#include "child-agent/unwinding/fixed_frame.h"

enum {
    REX_W = 0x48,
    REX_MASK = 0xf8,
    REX_R = 4, /* the register is one of r8 to r15 */
    REX_B = 1, /* so is the operand */
    RSP = 4,
    RBP = 5,
    AND = 4,           /* in the place of the register, where the other operand is a constant */
    SIB_OF_RSP = 0x24, /* no index */
    LONGEST_BYTES = 4,
};

struct operands {
    uint8_t mode, reg, operand; /* mode 3: the operand is a register */
    bool has_far_register, has_far_operand;
};

static struct operands operands_of(uint8_t rex, uint8_t modrm)
{
    return (struct operands){ modrm >> 6, modrm >> 3 & 7, modrm & 7, (rex & REX_R) != 0,
                              (rex & REX_B) != 0 };
}

static bool is_rsp_operand(const struct operands *operands)
{
    return operands->mode == 3 && operands->operand == RSP && !operands->has_far_operand;
}

static bool is_rsp_register(const struct operands *operands)
{
    return operands->reg == RSP && !operands->has_far_register;
}

/* A frame ends at rbp. */
static bool is_rbp_operand(const struct operands *operands)
{
    return operands->operand == RBP && !operands->has_far_operand && operands->mode != 0;
}

static bool is_rbp_register(const struct operands *operands)
{
    return operands->reg == RBP && !operands->has_far_register;
}

/* lea of a distance from rsp or rbp. */
static bool is_fixed_address(const struct operands *operands, uint8_t sib)
{
    return is_rbp_operand(operands) ||
           (operands->operand == RSP && !operands->has_far_operand && sib == SIB_OF_RSP);
}

/* The instruction at CODE, with a prefix for 64-bit operands. */
static bool moves_by_variable(const uint8_t *code)
{
    const struct operands operands = operands_of(code[0], code[2]);
    switch (code[1]) {
    case 0x01: /* add, sub, and of a register to the operand */
    case 0x29:
    case 0x21:
        return is_rsp_operand(&operands);
    case 0x03: /* of the operand to a register */
    case 0x2b:
    case 0x23:
        return is_rsp_register(&operands);
    case 0x81: /* and of a constant */
    case 0x83:
        return is_rsp_operand(&operands) && operands.reg == AND;
    case 0x87: /* xchg */
        return is_rsp_operand(&operands) || (is_rsp_register(&operands) && operands.mode == 3);
    case 0x89: /* mov */
        return is_rsp_operand(&operands) && !is_rbp_register(&operands);
    case 0x8b:
        return is_rsp_register(&operands) && !(operands.mode == 3 && is_rbp_operand(&operands));
    case 0x8d: /* lea */
        return is_rsp_register(&operands) && !is_fixed_address(&operands, code[3]);
    default:
        return false;
    }
}

bool fixed_frame_code(const uint8_t *code, size_t bytes)
{
    for (size_t at = 0; at + LONGEST_BYTES <= bytes; at++) {
        if ((code[at] & REX_MASK) == REX_W && moves_by_variable(code + at))
            return false;
    }
    return true;
}
