#include "child-agent/unwinding/frame_expression.h"

#include <string.h>

enum {
    DWARF_RIP = 16,
    MAX_VALUES = 8, /* on the stack of an expression */
    MAX_STEPS = 64,
};

enum dwarf_operation {
    DW_OP_deref = 0x06,
    DW_OP_const1u = 0x08,
    DW_OP_const1s = 0x09,
    DW_OP_const2u = 0x0a,
    DW_OP_const2s = 0x0b,
    DW_OP_const4u = 0x0c,
    DW_OP_const4s = 0x0d,
    DW_OP_const8u = 0x0e,
    DW_OP_const8s = 0x0f,
    DW_OP_and = 0x1a,
    DW_OP_minus = 0x1c,
    DW_OP_plus = 0x22,
    DW_OP_plus_uconst = 0x23,
    DW_OP_shl = 0x24,
    DW_OP_eq = 0x29,
    DW_OP_ge = 0x2a,
    DW_OP_gt = 0x2b,
    DW_OP_le = 0x2c,
    DW_OP_lt = 0x2d,
    DW_OP_ne = 0x2e,
    DW_OP_lit0 = 0x30,
    DW_OP_lit31 = 0x4f,
    DW_OP_breg0 = 0x70,
    DW_OP_breg31 = 0x8f,
};

struct evaluation {
    const uint8_t *next, *end;
    uint64_t pc;
    struct frame_value stack[MAX_VALUES];
    size_t depth;
    bool failed;
};

static uint64_t take_bytes(struct evaluation *e, size_t count)
{
    uint64_t value = 0;
    if ((size_t)(e->end - e->next) < count) {
        e->failed = true;
        return 0;
    }
    memcpy(&value, e->next, count);
    e->next += count;
    return value;
}

static int64_t take_leb128(struct evaluation *e, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 63;) {
        uint64_t byte = take_bytes(e, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if (is_signed && (byte & 0x40))
            value |= ~(uint64_t)0 << shift;
        return (int64_t)value;
    }
    e->failed = true;
    return 0;
}

static void push_value(struct evaluation *e, struct frame_value value)
{
    if (e->depth == MAX_VALUES)
        e->failed = true;
    else
        e->stack[e->depth++] = value;
}

static void push_constant(struct evaluation *e, int64_t constant)
{
    push_value(e, (struct frame_value){ .form = VALUE_CONSTANT, .offset = constant });
}

static struct frame_value pop_value(struct evaluation *e)
{
    if (e->depth == 0) {
        e->failed = true;
        return (struct frame_value){ .form = VALUE_CONSTANT };
    }
    return e->stack[--e->depth];
}

static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void push_register(struct evaluation *e, uint32_t number)
{
    int64_t offset = take_leb128(e, true);
    if (number == DWARF_RIP)
        push_constant(e, add_wrapping((int64_t)e->pc, offset));
    else
        push_value(
            e, (struct frame_value){ .form = VALUE_REGISTER, .number = number, .offset = offset });
}

static void dereference_top(struct evaluation *e)
{
    struct frame_value value = pop_value(e);
    if (value.form != VALUE_REGISTER)
        e->failed = true;
    value.form = VALUE_AT_REGISTER;
    push_value(e, value);
}

static bool compute_constant(uint8_t operation, int64_t a, int64_t b, int64_t *out)
{
    switch (operation) {
    case DW_OP_plus:
        *out = add_wrapping(a, b);
        return true;
    case DW_OP_minus:
        *out = (int64_t)((uint64_t)a - (uint64_t)b);
        return true;
    case DW_OP_and:
        *out = a & b;
        return true;
    case DW_OP_shl:
        *out = (uint64_t)b < 64 ? (int64_t)((uint64_t)a << b) : 0;
        return true;
    case DW_OP_eq:
        *out = a == b;
        return true;
    case DW_OP_ne:
        *out = a != b;
        return true;
    case DW_OP_ge:
        *out = a >= b;
        return true;
    case DW_OP_gt:
        *out = a > b;
        return true;
    case DW_OP_le:
        *out = a <= b;
        return true;
    case DW_OP_lt:
        *out = a < b;
        return true;
    default:
        return false;
    }
}

/* Constants with constants; and sums and differences of the other forms with constants. */
static void combine_top_two(struct evaluation *e, uint8_t operation)
{
    struct frame_value b = pop_value(e);
    struct frame_value a = pop_value(e);
    if (operation == DW_OP_plus && a.form == VALUE_CONSTANT) {
        struct frame_value swapped = a;
        a = b;
        b = swapped;
    }
    bool is_sum = operation == DW_OP_plus || operation == DW_OP_minus;
    int64_t *left = a.form == VALUE_AT_REGISTER ? &a.addend : &a.offset;
    if (b.form != VALUE_CONSTANT || (a.form != VALUE_CONSTANT && !is_sum) ||
        !compute_constant(operation, *left, b.offset, left))
        e->failed = true;
    push_value(e, a);
}

static void evaluate_operation(struct evaluation *e, uint8_t operation)
{
    switch (operation) {
    case DW_OP_deref:
        dereference_top(e);
        break;
    case DW_OP_const1u:
        push_constant(e, (int64_t)take_bytes(e, 1));
        break;
    case DW_OP_const1s:
        push_constant(e, (int8_t)take_bytes(e, 1));
        break;
    case DW_OP_const2u:
        push_constant(e, (int64_t)take_bytes(e, 2));
        break;
    case DW_OP_const2s:
        push_constant(e, (int16_t)take_bytes(e, 2));
        break;
    case DW_OP_const4u:
        push_constant(e, (int64_t)take_bytes(e, 4));
        break;
    case DW_OP_const4s:
        push_constant(e, (int32_t)take_bytes(e, 4));
        break;
    case DW_OP_const8u:
    case DW_OP_const8s:
        push_constant(e, (int64_t)take_bytes(e, 8));
        break;
    case DW_OP_plus_uconst:
        push_constant(e, take_leb128(e, false));
        combine_top_two(e, DW_OP_plus);
        break;
    default:
        if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31)
            push_constant(e, operation - DW_OP_lit0);
        else if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31)
            push_register(e, (uint32_t)(operation - DW_OP_breg0));
        else
            combine_top_two(e, operation);
    }
}

bool frame_expression_evaluate(struct frame_expression expression, uint64_t pc,
                               struct frame_value *out)
{
    struct evaluation e = { .next = expression.bytes, .pc = pc };
    if (expression.count == 0)
        return false;
    e.end = expression.bytes + expression.count;
    for (int step = 0; e.next < e.end; step++) {
        if (e.failed || step == MAX_STEPS)
            return false;
        evaluate_operation(&e, (uint8_t)take_bytes(&e, 1));
    }
    *out = pop_value(&e);
    return !e.failed;
}
