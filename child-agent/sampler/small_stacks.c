#include "child-agent/sampler/small_stacks.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Beside what the kernel saves for the program's handler and for ours: what both take, ours until
 * it has moved to another stack (sample_room.h). */
enum { HANDLERS_BYTES = 4096 };

static _Atomic bool exist;

/* The C library knows what the kernel saves also where the kernel does not tell. */
static size_t least_bytes(void)
{
    long saved_bytes = sysconf(_SC_MINSIGSTKSZ);
    return 2 * (saved_bytes > 0 ? (size_t)saved_bytes : 0) + HANDLERS_BYTES;
}

bool small_stacks_note(size_t bytes)
{
    return bytes < least_bytes() && !atomic_exchange(&exist, true);
}

bool small_stacks_exist(void)
{
    return atomic_load(&exist);
}

bool small_stacks_may_be_in_use(void)
{
    stack_t stack;
    return small_stacks_exist() && syscall(SYS_sigaltstack, NULL, &stack) == 0 &&
           (stack.ss_flags & SS_ONSTACK) != 0;
}
