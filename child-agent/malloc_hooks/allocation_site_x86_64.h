/* The caller of a hook, read from the hook's own frame: return address, stack pointer after the
 * return, and the caller's rbp, which every function of the hooks' library saves in its frame.
 * The address is inside the call instruction, not after it, where another line or function may
 * begin. */
#ifndef PROFD_AGENT_ALLOCATION_SITE_X86_64_H
#define PROFD_AGENT_ALLOCATION_SITE_X86_64_H

#include "child-agent/malloc_hooks/allocation_hooks.h"

#define ALLOCATION_SITE_HERE()                                                                     \
    ((struct allocation_site){                                                                     \
        .pc = (uint64_t)__builtin_return_address(0) - 1,                                           \
        .stack_address = (uint64_t)__builtin_dwarf_cfa(),                                          \
        .frame_pointer = *(const uint64_t *)__builtin_frame_address(0),                            \
    })

#endif
