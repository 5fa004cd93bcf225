#include "child-agent/unwinding/unwind_frame_pointer.h"

#include "child-agent/guest/process_memory.h"

enum { LONGEST_CALL_BYTES = 7, WORD_BYTES = 8 };

/* Whether CODE ends with a call: E8 and 4 bytes, or FF /2 with any kind of operand. */
static bool ends_with_call(const uint8_t code[LONGEST_CALL_BYTES])
{
    if (code[LONGEST_CALL_BYTES - 5] == 0xe8)
        return true;
    for (int start = 0; start <= LONGEST_CALL_BYTES - 2; start++) {
        if (code[start] == 0xff && ((code[start + 1] >> 3) & 7) == 2)
            return true;
    }
    return false;
}

static bool is_behind_call(uint64_t pc)
{
    uint8_t code[LONGEST_CALL_BYTES];
    return process_memory_read(pc - sizeof(code), code, sizeof(code)) == 0 && ends_with_call(code);
}

/* Code that was generated since somebody last asked the kernel is known by the call before PC. */
static bool is_code(const struct module_map *modules, uint64_t pc)
{
    return module_map_is_executable(modules, pc - 1) || is_behind_call(pc);
}

bool unwind_by_frame_pointer(const struct module_map *modules, const struct unwind_state *state,
                             struct unwind_state *caller)
{
    uint64_t frame = state->rbp;
    *caller = *state;
    if (frame < state->rsp || frame % WORD_BYTES != 0 ||
        !unwind_read_word(&state->stack, frame, &caller->rbp) ||
        !unwind_read_word(&state->stack, frame + WORD_BYTES, &caller->pc))
        return false;
    caller->rsp = frame + 2 * WORD_BYTES;
    caller->is_exact = false;
    return is_code(modules, caller->pc);
}

bool unwind_at_entry(const struct module_map *modules, const struct unwind_state *state,
                     struct unwind_state *caller)
{
    *caller = *state;
    if (!state->is_exact || !unwind_read_word(&state->stack, state->rsp, &caller->pc))
        return false;
    caller->rsp = state->rsp + WORD_BYTES;
    caller->is_exact = false;
    return module_map_is_executable(modules, caller->pc - 1) && is_behind_call(caller->pc);
}
