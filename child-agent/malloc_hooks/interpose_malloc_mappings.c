/* Interposed, in the hooks' library: mmap and its kin, and the end of the data segment. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "child-agent/guest/interpose.h"
#include "child-agent/malloc_hooks/mapping_hooks.h"

struct mapping_hooks profd_mapping_hooks __attribute__((visibility("default")));

/* Whose turn it is, may come here again: the next definition may map by another one. */
static __thread bool has_turn __attribute__((tls_model("initial-exec")));

static bool take_turn(struct mapping_turn *turn)
{
    if (__builtin_expect(
            !atomic_load_explicit(&profd_mapping_hooks.is_active, memory_order_acquire) || has_turn,
            1))
        return false;
    profd_mapping_hooks.begin(turn);
    has_turn = true;
    return true;
}

static void end_turn(struct mapping_turn *turn)
{
    has_turn = false;
    profd_mapping_hooks.end(turn);
}

/* --- The next definitions: until ours can be looked for, the kernel --- */

extern void *__sbrk(intptr_t increment);

static void *kernel_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, start, bytes, protection, flags, fd, offset);
}

static int kernel_munmap(void *start, size_t bytes)
{
    return (int)syscall(SYS_munmap, start, bytes);
}

static void *kernel_mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *place = va_arg(arguments, void *);
    va_end(arguments);
    return (void *)syscall(SYS_mremap, start, old_bytes, bytes, flags, place);
}

static int kernel_brk(void *end)
{
    char *now = __sbrk(0);
    return __sbrk((char *)end - now) == (void *)-1 ? -1 : 0;
}

static struct {
    void *(*mmap)(void *start, size_t bytes, int protection, int flags, int fd, off_t offset);
    int (*munmap)(void *start, size_t bytes);
    void *(*mremap)(void *start, size_t old_bytes, size_t bytes, int flags, ...);
    void *(*sbrk)(intptr_t increment);
    int (*brk)(void *end);
} real = { kernel_mmap, kernel_munmap, kernel_mremap, __sbrk, kernel_brk };

/* Not at the first call, which may be an allocator's with its locks held: the loader has one, too.
 */
__attribute__((constructor)) static void find_real(void)
{
    static const char *const names[] = { "mmap", "munmap", "mremap", "sbrk", "brk" };
    void **places[] = { (void **)&real.mmap, (void **)&real.munmap, (void **)&real.mremap,
                        (void **)&real.sbrk, (void **)&real.brk };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *found = dlsym(RTLD_NEXT, names[i]);
        if (found != NULL)
            *places[i] = found;
    }
}

/* --- The hooks --- */

PROFD_INTERPOSED void *mmap(void *start, size_t bytes, int protection, int flags, int fd,
                            off_t offset)
{
    struct mapping_turn turn;
    if (!take_turn(&turn))
        return real.mmap(start, bytes, protection, flags, fd, offset);
    void *mapped = real.mmap(start, bytes, protection, flags, fd, offset);
    if (mapped != MAP_FAILED)
        profd_mapping_hooks.mapped(&turn, mapped, bytes, (flags & MAP_ANONYMOUS) != 0);
    end_turn(&turn);
    return mapped;
}

_Static_assert(sizeof(off_t) == sizeof(off64_t), "mmap64 is the same function");
PROFD_INTERPOSED __typeof__(mmap) mmap64 __attribute__((alias("mmap")));

PROFD_INTERPOSED int munmap(void *start, size_t bytes)
{
    struct mapping_turn turn;
    if (!take_turn(&turn))
        return real.munmap(start, bytes);
    int result = real.munmap(start, bytes);
    if (result == 0)
        profd_mapping_hooks.unmapped(&turn, start, bytes);
    end_turn(&turn);
    return result;
}

PROFD_INTERPOSED void *mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...)
{
    struct mapping_turn turn;
    va_list arguments;
    va_start(arguments, flags);
    void *place = va_arg(arguments, void *);
    va_end(arguments);
    if (!take_turn(&turn))
        return real.mremap(start, old_bytes, bytes, flags, place);
    void *moved = real.mremap(start, old_bytes, bytes, flags, place);
    /* Of no bytes, it maps what is shared a second time. */
    bool is_kept = old_bytes == 0 || (flags & MREMAP_DONTUNMAP) != 0;
    if (moved != MAP_FAILED)
        profd_mapping_hooks.moved(&turn, start, old_bytes, is_kept, moved, bytes);
    end_turn(&turn);
    return moved;
}

/* The data segment ends at NOW instead of BEFORE. */
static void tell_end(struct mapping_turn *turn, const char *before, const char *now)
{
    if (now > before)
        profd_mapping_hooks.mapped(turn, before, (size_t)(now - before), true);
    else if (now < before)
        profd_mapping_hooks.unmapped(turn, now, (size_t)(before - now));
}

PROFD_INTERPOSED void *sbrk(intptr_t increment)
{
    struct mapping_turn turn;
    if (increment == 0 || !take_turn(&turn))
        return real.sbrk(increment);
    char *before = real.sbrk(increment);
    if (before != (void *)-1)
        tell_end(&turn, before, before + increment);
    end_turn(&turn);
    return before;
}

PROFD_INTERPOSED int brk(void *end)
{
    struct mapping_turn turn;
    if (!take_turn(&turn))
        return real.brk(end);
    const char *before = real.sbrk(0);
    int result = real.brk(end);
    if (result == 0)
        tell_end(&turn, before, end);
    end_turn(&turn);
    return result;
}
