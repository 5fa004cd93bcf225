/* Detects whether valgrind runs this program; it would report every signal and every stack of the
 * agent as a fault of the program. Uses a client request as described in valgrind's manual; on a
 * real processor its instructions change nothing. */
#ifndef PROFD_AGENT_VALGRIND_X86_64_H
#define PROFD_AGENT_VALGRIND_X86_64_H

#include <stdbool.h>
#include <stdint.h>

enum { VALGRIND_RUNS_THIS = 0x1001 };

static inline bool valgrind_runs_this(void)
{
    const volatile uint64_t request[6] = { VALGRIND_RUNS_THIS };
    uint64_t depth = 0;
    __asm__ volatile("rolq $3, %%rdi\n"
                     "rolq $13, %%rdi\n"
                     "rolq $61, %%rdi\n"
                     "rolq $51, %%rdi\n"
                     "xchgq %%rbx, %%rbx\n"
                     : "+d"(depth)
                     : "a"(request)
                     : "cc", "memory");
    return depth != 0;
}

#endif
