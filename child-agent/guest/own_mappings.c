/* The agent's own calls of mmap and its kin, in all that it consists of: the linker leads them here
 * (--wrap), past everybody's hooks. The program did not map that memory. */
#include "child-agent/guest/own_mappings.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Shared are the arena, the ledger, and their successors. What finds no room counts as private, or
 * as inherited. */
enum { MOST_SHARED = 16, MOST_UNFORKED = 64, PAGE_BYTES = 4096 };

static _Atomic uint64_t mapped_bytes, shared_bytes;
static _Atomic uintptr_t shared_starts[MOST_SHARED];

/* What a forked child does not inherit. */
static struct {
    _Atomic uintptr_t start; /* 0: there is none */
    size_t bytes;
} unforked[MOST_UNFORKED];

void *__wrap_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *start, size_t bytes);
void *__wrap_mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...);
int __wrap_madvise(void *start, size_t bytes, int advice);

static uint64_t whole_pages(size_t bytes)
{
    return ((uint64_t)bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

/* Puts AFTER where BEFORE is among the starts of shared mappings. */
static bool replace_shared(uintptr_t before, uintptr_t after)
{
    for (size_t i = 0; i < MOST_SHARED; i++) {
        uintptr_t expected = before;
        if (atomic_compare_exchange_strong(&shared_starts[i], &expected, after))
            return true;
    }
    return false;
}

static void count_mapping(uintptr_t start, size_t bytes, bool is_shared)
{
    atomic_fetch_add(&mapped_bytes, whole_pages(bytes));
    if (is_shared && replace_shared(0, start))
        atomic_fetch_add(&shared_bytes, whole_pages(bytes));
}

static void forget_unforked(uintptr_t start)
{
    for (size_t i = 0; i < MOST_UNFORKED; i++) {
        uintptr_t expected = start;
        (void)atomic_compare_exchange_strong(&unforked[i].start, &expected, 0);
    }
}

static bool discount_mapping(uintptr_t start, size_t bytes)
{
    bool was_shared = replace_shared(start, 0);
    forget_unforked(start);
    atomic_fetch_sub(&mapped_bytes, whole_pages(bytes));
    if (was_shared)
        atomic_fetch_sub(&shared_bytes, whole_pages(bytes));
    return was_shared;
}

uint64_t own_mappings_bytes(void)
{
    return atomic_load(&mapped_bytes);
}

uint64_t own_mappings_private_bytes(void)
{
    uint64_t shared = atomic_load(&shared_bytes), mapped = atomic_load(&mapped_bytes);
    return mapped > shared ? mapped - shared : 0;
}

void own_mappings_after_fork_child(void)
{
    for (size_t i = 0; i < MOST_UNFORKED; i++) {
        uintptr_t start = atomic_load(&unforked[i].start);
        if (start != 0)
            (void)discount_mapping(start, unforked[i].bytes);
    }
}

static void note_unforked(uintptr_t start, size_t bytes)
{
    for (size_t i = 0; i < MOST_UNFORKED; i++) {
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&unforked[i].start, &none, start))
            continue;
        unforked[i].bytes = bytes;
        return;
    }
}

int __wrap_madvise(void *start, size_t bytes, int advice)
{
    int result = (int)syscall(SYS_madvise, start, bytes, advice);
    if (result == 0 && advice == MADV_DONTFORK)
        note_unforked((uintptr_t)start, bytes);
    return result;
}

/* What is mapped in the place of something else takes no more addresses. */
void *__wrap_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    void *mapped = (void *)syscall(SYS_mmap, start, bytes, protection, flags, fd, offset);
    if (mapped != MAP_FAILED && !(flags & MAP_FIXED))
        count_mapping((uintptr_t)mapped, bytes, (flags & MAP_TYPE) != MAP_PRIVATE);
    return mapped;
}

int __wrap_munmap(void *start, size_t bytes)
{
    int result = (int)syscall(SYS_munmap, start, bytes);
    if (result == 0)
        (void)discount_mapping((uintptr_t)start, bytes);
    return result;
}

void *__wrap_mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...)
{
    void *place = NULL;
    if (flags & MREMAP_FIXED) {
        va_list rest;
        va_start(rest, flags);
        place = va_arg(rest, void *);
        va_end(rest);
    }
    void *moved = (void *)syscall(SYS_mremap, start, old_bytes, bytes, flags, place);
    if (moved == MAP_FAILED)
        return moved;
    bool is_shared = discount_mapping((uintptr_t)start, old_bytes);
    if (flags & MREMAP_FIXED) /* what was there is gone */
        (void)discount_mapping((uintptr_t)place, bytes);
    count_mapping((uintptr_t)moved, bytes, is_shared);
    return moved;
}
