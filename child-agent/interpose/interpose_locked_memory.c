/* Interposed: locking of all memory. The kernel would fill the whole arena, of which most is a hole
 * that no session may ever use; the program would hold the memory limit of all processes together,
 * and a profile of that size could not be kept. Everything but the arena is locked and filled. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "child-agent/agent_thread.h"
#include "child-agent/core.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/unwinding/module_maps.h"

static int real_mlockall(int flags)
{
    typedef int mlockall_function(int);
    static mlockall_function *real;
    if (real == NULL)
        real = (mlockall_function *)real_symbol("mlockall");
    if (real != NULL)
        return real(flags);
    errno = ENOSYS;
    return -1;
}

static void lock_outside(uint64_t start, uint64_t end, uint64_t hole_start, uint64_t hole_end)
{
    uint64_t before = end < hole_start ? end : hole_start;
    uint64_t after = start > hole_end ? start : hole_end;
    /* Like the kernel, which fills what it can: some mappings have no pages to be had. */
    if (start < before)
        (void)mlock((void *)start, before - start);
    if (after < end)
        (void)mlock((void *)after, end - after);
}

/* First all of it as it is touched, which fills nothing; then mapping by mapping. */
static int lock_without_arena(int flags, const struct mapping_list *mappings)
{
    uint64_t arena_start = (uintptr_t)core.arena.header;
    uint64_t arena_end = arena_start + core.arena.mapped_bytes;
    const char *cursor = mappings->text;
    struct mapping mapping;
    if (real_mlockall(flags | MCL_ONFAULT) != 0)
        return -1;
    while (mapping_parse(&cursor, mappings->text + mappings->text_bytes, &mapping))
        lock_outside(mapping.start, mapping.end, arena_start, arena_end);
    (void)munlock(core.arena.header, core.arena.mapped_bytes); /* locked, it works as well */
    return (flags & MCL_FUTURE) == 0 ? 0 : real_mlockall(MCL_FUTURE);
}

/* The list is read before anything is locked: its own memory, which is freed, is not to be filled.
 */
PROFD_INTERPOSED int mlockall(int flags)
{
    struct mapping_list mappings = { 0 };
    if ((flags & MCL_CURRENT) == 0 || (flags & MCL_ONFAULT) != 0 || core_is_forking)
        return real_mlockall(flags);
    int saved_errno = errno;
    agent_thread_hold();
    bool can_leave_out = core_local.has_arena && mapping_list_read_maps(&mappings) == 0;
    int result = can_leave_out ? lock_without_arena(flags, &mappings) : real_mlockall(flags);
    if (result != 0)
        saved_errno = errno;
    mapping_list_free(&mappings);
    agent_thread_release();
    errno = saved_errno;
    return result;
}
