#include "child-agent/sampler/small_stacks.h"

#include <stdatomic.h>
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
