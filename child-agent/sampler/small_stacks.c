#include "child-agent/sampler/small_stacks.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Beside what the kernel saves for the program's handler and for ours: what both take, ours until
 * it has moved to another stack (sample_room.h). */
enum { HANDLERS_BYTES = 4096 };

static _Atomic bool exist;

/* For each handler. The C library knows it also where the kernel does not tell. */
static size_t saved_bytes(void)
{
    long bytes = sysconf(_SC_MINSIGSTKSZ);
    return bytes > 0 ? (size_t)bytes : 0;
}

bool small_stacks_note(size_t bytes)
{
    return bytes < 2 * saved_bytes() + HANDLERS_BYTES && !atomic_exchange(&exist, true);
}

bool small_stacks_exist(void)
{
    return atomic_load(&exist);
}

static bool is_on_signal_stack(stack_t *stack)
{
    return syscall(SYS_sigaltstack, NULL, stack) == 0 && (stack->ss_flags & SS_ONSTACK) != 0;
}

bool small_stacks_may_be_in_use(void)
{
    stack_t stack;
    return small_stacks_exist() && is_on_signal_stack(&stack);
}

size_t small_stacks_room_bytes(void)
{
    stack_t stack;
    if (!is_on_signal_stack(&stack))
        return SIZE_MAX;
    size_t left_bytes = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)stack.ss_sp;
    return left_bytes > saved_bytes() ? left_bytes - saved_bytes() : 0;
}
