/* The stack pointer of the function that asks. */
#ifndef PROFD_AGENT_STACK_POINTER_X86_64_H
#define PROFD_AGENT_STACK_POINTER_X86_64_H

/* What the function calls has its frames below. Always part of the caller. */
static inline __attribute__((always_inline)) void *stack_pointer(void)
{
    void *here;
    __asm__ volatile("mov %%rsp, %0" : "=r"(here));
    return here;
}

#endif
