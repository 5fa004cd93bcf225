#include "child-agent/unwinding/unwind_signal_frame.h"

#include <string.h>

#include "child-agent/guest/process_memory.h"

/* Offsets in the ucontext, in DWARF's order of registers. */
static const uint8_t UCONTEXT_OFFSETS[REGISTER_COUNT] = {
    144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96, 168,
};

bool unwind_is_signal_return(uint64_t pc)
{
    /* mov $15,%rax; syscall, and the same with %eax */
    static const uint8_t long_form[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
    static const uint8_t short_form[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };
    uint8_t code[sizeof(long_form)];
    return process_memory_read(pc, code, sizeof(code)) == 0 &&
           (memcmp(code, long_form, sizeof(long_form)) == 0 ||
            memcmp(code, short_form, sizeof(short_form)) == 0);
}

bool unwind_signal_register(const struct stack_view *stack, uint64_t rsp, uint32_t number,
                            uint64_t *out)
{
    return number < REGISTER_COUNT && unwind_read_word(stack, rsp + UCONTEXT_OFFSETS[number], out);
}

bool unwind_leave_signal(const struct unwind_state *state, struct unwind_state *interrupted)
{
    const struct stack_view *stack = &state->stack;
    *interrupted = *state;
    interrupted->is_exact = true;
    return unwind_signal_register(stack, state->rsp, REGISTER_RIP, &interrupted->pc) &&
           unwind_signal_register(stack, state->rsp, REGISTER_RSP, &interrupted->rsp) &&
           unwind_signal_register(stack, state->rsp, REGISTER_RBP, &interrupted->rbp);
}
