/* The position of a walk: the registers of one frame, as far as they are known, and the stack that
 * they point into. */
#ifndef PROFD_AGENT_UNWIND_STATE_H
#define PROFD_AGENT_UNWIND_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"

struct unwind_state {
    struct stack_view stack; /* the stack that contains rsp */
    uint64_t pc, rsp, rbp;
    bool is_exact; /* pc is the next instruction (innermost or interrupted), not a return address */
};

/* Reads a word at any alignment. Written by hand, since sanitizers do not know the frames of a live
 * stack as objects. */
__attribute__((no_sanitize("address", "undefined", "thread"))) static inline uint64_t
unwind_load_word(const uint8_t *at)
{
    typedef uint64_t unaligned_word __attribute__((aligned(1), may_alias));
    return *(const unaligned_word *)at;
}

/* Returns the stack that SNAPSHOT itself contains, with frames of the program up to ROOT. */
static inline struct stack_view unwind_first_stack(const struct snapshot *snapshot, uint64_t root)
{
    return (struct stack_view){ snapshot->stack_start, snapshot->stack_bytes, snapshot->stack,
                                root };
}

static inline bool unwind_has_word(const struct stack_view *stack, uint64_t address)
{
    return stack->bytes >= sizeof(uint64_t) &&
           address - stack->start <= stack->bytes - sizeof(uint64_t);
}

/* Reads the word at ADDRESS of the stack. Returns false if that is outside. */
static inline bool unwind_read_word(const struct stack_view *stack, uint64_t address, uint64_t *out)
{
    if (!unwind_has_word(stack, address))
        return false;
    *out = unwind_load_word(stack->at + (address - stack->start));
    return true;
}

#endif
