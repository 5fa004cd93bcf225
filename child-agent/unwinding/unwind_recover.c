#include "child-agent/unwinding/unwind_recover.h"

#include "child-agent/unwinding/call_frame_info.h"
#include "child-agent/unwinding/frame_expression.h"
#include "child-agent/unwinding/module_tables.h"
#include "child-agent/unwinding/unwind_signal_frame.h"
#include "child-agent/unwinding/unwind_state.h"

/* The registers that are followed, in the frame that is next. */
struct followed {
    struct stack_view stack;
    uint64_t rsp, rbp;
    uint64_t value;
    uint32_t number;
    bool is_exact; /* the address of the frame is not a return address */
};

static bool restore_register(const struct followed *at, const struct register_rule *rule,
                             uint64_t pc, uint64_t cfa, uint64_t *value)
{
    struct frame_value place;
    uint64_t address;
    switch (rule->place) {
    case REGISTER_SAME:
        return true;
    case REGISTER_AT_OFFSET:
        address = cfa + (uint64_t)rule->offset;
        break;
    case REGISTER_AT_EXPRESSION:
        if (!frame_expression_evaluate(rule->expression, pc, &place) ||
            place.form != VALUE_REGISTER ||
            (place.number != REGISTER_RBP && place.number != REGISTER_RSP))
            return false;
        address = (place.number == REGISTER_RBP ? at->rbp : at->rsp) + (uint64_t)place.offset;
        break;
    default:
        return false;
    }
    /* What is below rsp was popped already. */
    return address < at->rsp || unwind_read_word(&at->stack, address, value);
}

/* Moves the registers from FRAME to its caller. */
static bool leave_frame(struct module_map *modules, struct followed *at,
                        const struct unwind_frame *frame)
{
    struct frame_row row;
    struct followed caller = *at;
    uint64_t address = frame->address - (at->is_exact ? 0 : 1);
    const struct module *module = module_map_find(modules, address);
    if (module == NULL)
        return false;
    int error = module_find_row(module, address, at->number, &row);
    bool is_signal = error == 0 ? row.is_signal_frame : unwind_is_signal_return(frame->address);
    if (error != 0 && !is_signal)
        return false;
    caller.is_exact = is_signal;
    caller.rsp = frame->stack_address;
    bool found;
    if (is_signal)
        found = unwind_signal_register(&at->stack, at->rsp, REGISTER_RBP, &caller.rbp) &&
                unwind_signal_register(&at->stack, at->rsp, at->number, &caller.value);
    else
        found =
            restore_register(at, &row.rbp, frame->address, frame->stack_address, &caller.rbp) &&
            restore_register(at, &row.other, frame->address, frame->stack_address, &caller.value);
    *at = caller;
    return found;
}

bool unwind_recover_register(struct module_map *modules, const struct snapshot *snapshot,
                             const struct unwind_frame *frames, size_t count, uint32_t number,
                             uint64_t *out)
{
    if (number >= REGISTER_COUNT)
        return false;
    struct followed at = {
        .stack = unwind_first_stack(snapshot, UINT64_MAX),
        .rsp = snapshot->registers[REGISTER_RSP],
        .rbp = snapshot->registers[REGISTER_RBP],
        .value = snapshot->registers[number],
        .number = number,
        .is_exact = true,
    };
    for (size_t i = 0; i < count; i++) {
        if (!leave_frame(modules, &at, &frames[i]))
            return false;
    }
    *out = at.value;
    return true;
}
