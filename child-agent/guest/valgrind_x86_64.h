/* Whether valgrind runs this program: in it every signal and every stack of ours would look like a
 * fault of the program. A client request, as valgrind's manual has them: on a processor these are
 * instructions that change nothing. */
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
