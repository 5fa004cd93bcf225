#include "child-agent/unwinding/unwind_by_row.h"

#include "child-agent/unwinding/call_frame_info.h"
#include "child-agent/unwinding/frame_expression.h"
#include "child-agent/unwinding/module_tables.h"
#include "child-agent/unwinding/unwind_recover.h"

/* The frame whose caller is looked for. */
struct frame {
    struct module_map *modules;
    const struct unwound *so_far;
    const struct unwind_state *state;
    uint64_t cfa; /* once it is known */
};

static bool register_value(const struct frame *frame, uint32_t number, uint64_t *out)
{
    const struct unwound *so_far = frame->so_far;
    if (number == REGISTER_RSP || number == REGISTER_RBP) {
        *out = number == REGISTER_RSP ? frame->state->rsp : frame->state->rbp;
        return true;
    }
    return unwind_recover_register(frame->modules, so_far->snapshot, so_far->frames, so_far->count,
                                   number, out);
}

static bool expression_value(const struct frame *frame, struct frame_expression expression,
                             uint64_t *out)
{
    struct frame_value value;
    uint64_t base;
    if (!frame_expression_evaluate(expression, frame->state->pc, &value) ||
        value.form == VALUE_CONSTANT || !register_value(frame, value.number, &base))
        return false;
    *out = base + (uint64_t)value.offset;
    if (value.form == VALUE_AT_REGISTER) {
        if (!unwind_read_word(&frame->state->stack, *out, out))
            return false;
        *out += (uint64_t)value.addend;
    }
    return true;
}

static bool cfa_value(const struct frame *frame, const struct frame_row *row, uint64_t *out)
{
    if (row->is_cfa_expression)
        return expression_value(frame, row->cfa_expression, out);
    if (!register_value(frame, row->cfa_register, out))
        return false;
    *out += (uint64_t)row->cfa_offset;
    return true;
}

/* VALUE has what the register holds in the frame itself. */
static bool restore_register(const struct frame *frame, const struct register_rule *rule,
                             uint64_t *value)
{
    uint64_t address;
    switch (rule->place) {
    case REGISTER_SAME:
        return true;
    case REGISTER_IN_REGISTER:
        return register_value(frame, rule->number, value);
    case REGISTER_AT_OFFSET:
        return unwind_read_word(&frame->state->stack, frame->cfa + (uint64_t)rule->offset, value);
    case REGISTER_AT_EXPRESSION:
        return expression_value(frame, rule->expression, &address) &&
               unwind_read_word(&frame->state->stack, address, value);
    case REGISTER_UNDEFINED:
    case REGISTER_ELSEWHERE:
    default:
        return false;
    }
}

bool unwind_by_row(struct module_map *modules, const struct unwound *so_far,
                   const struct unwind_state *state, struct unwind_state *caller)
{
    struct frame frame = { modules, so_far, state, 0 };
    struct frame_row row;
    uint64_t address = state->pc - (state->is_exact ? 0 : 1);
    const struct module *module = module_map_find(modules, address);
    *caller = *state;
    caller->is_exact = false;
    if (module == NULL || module_find_row(module, address, REGISTER_RBP, &row) != 0 ||
        row.return_address.place == REGISTER_SAME || !cfa_value(&frame, &row, &frame.cfa))
        return false;
    caller->rsp = frame.cfa;
    return restore_register(&frame, &row.rbp, &caller->rbp) &&
           restore_register(&frame, &row.return_address, &caller->pc) &&
           module_map_is_executable(modules, caller->pc - 1);
}
