/* Interposed, in the hooks' library: operator new and delete of C++, in all their forms.
 *
 * Those of the C++ library call malloc and free, whose hooks see them. An allocator's own forms go
 * past malloc: those are noted here. */
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

#include "child-agent/malloc_hooks/interpose_malloc.h"

/* Arguments are at most three words; a form that has less of them hands on whatever is there. */
typedef void *new_function(size_t bytes, size_t second, size_t third);
typedef void delete_function(void *memory, size_t second, size_t third);

struct form {
    const char *name;
    void *_Atomic function; /* NULL: not looked for yet */
    bool passes_malloc_by;  /* set before function */
};

/* Forms that nobody had loaded when the program started, as the C++ library that a program in C
 * opens for a plug-in. What is found is called for good, so its library stays. */
static void *in_cplusplus_library(const char *name)
{
    static const char *const libraries[] = { "libstdc++.so.6", "libc++.so.1", "libc++abi.so.1" };
    void *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL)
            continue;
        found = dlsym(library, name);
        if (found == NULL)
            dlclose(library);
    }
    return found;
}

/* FALLBACK where there is none at all. */
static void *find_function(struct form *form, void *fallback)
{
    void *found = dlsym(RTLD_NEXT, form->name);
    if (found == NULL)
        found = in_cplusplus_library(form->name);
    if (found == NULL)
        found = fallback;
    form->passes_malloc_by = real_malloc_owns(found);
    atomic_store_explicit(&form->function, found, memory_order_release);
    return found;
}

static inline void *function_of(struct form *form, void *fallback)
{
    void *function = atomic_load_explicit(&form->function, memory_order_acquire);
    return function != NULL ? function : find_function(form, fallback);
}

/* --- New --- */

static void *fallback_new(size_t bytes, size_t second, size_t third)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    (void)second;
    (void)third;
    if (memory == NULL)
        abort(); /* nobody here can throw */
    return memory;
}

static void *fallback_new_or_null(size_t bytes, size_t second, size_t third)
{
    (void)second;
    (void)third;
    return malloc(bytes > 0 ? bytes : 1);
}

static void *fallback_aligned(size_t bytes, size_t alignment, size_t third)
{
    void *memory = memalign(alignment, bytes > 0 ? bytes : 1);
    (void)third;
    if (memory == NULL)
        abort();
    return memory;
}

static void *fallback_aligned_or_null(size_t bytes, size_t alignment, size_t third)
{
    (void)third;
    return memalign(alignment, bytes > 0 ? bytes : 1);
}

/* Some forms of an allocator's call its malloc all the same, whose hook has noted what they do by
 * then. */
static inline int64_t before_noting(void)
{
    allocation_countdown.has_counted = false;
    return allocation_countdown.bytes;
}

static inline bool was_noted_since(int64_t countdown_bytes)
{
    return allocation_countdown.has_counted || allocation_countdown.bytes != countdown_bytes;
}

/* One form of new: its name in the compiler's spelling. */
#define NEW(symbol, fallback)                                                                      \
    static struct form form_of_##symbol = { .name = #symbol };                                     \
    static                                                                                         \
        __attribute__((noinline)) void *noted_##symbol(size_t bytes, size_t second, size_t third)  \
    {                                                                                              \
        new_function *function = function_of(&form_of_##symbol, fallback);                         \
        int64_t before = before_noting();                                                          \
        void *memory = function(bytes, second, third);                                             \
        if (!was_noted_since(before) && !allocation_passes(bytes))                                 \
            note_allocation(memory, bytes);                                                        \
        return memory;                                                                             \
    }                                                                                              \
    PROFD_INTERPOSED void *symbol(size_t bytes, size_t second, size_t third);                      \
    PROFD_INTERPOSED void *symbol(size_t bytes, size_t second, size_t third)                       \
    {                                                                                              \
        new_function *function = function_of(&form_of_##symbol, fallback);                         \
        if (allocations_active() == 0 || !form_of_##symbol.passes_malloc_by)                       \
            return function(bytes, second, third);                                                 \
        return noted_##symbol(bytes, second, third);                                               \
    }

NEW(_Znwm, fallback_new)
NEW(_Znam, fallback_new)
NEW(_ZnwmRKSt9nothrow_t, fallback_new_or_null)
NEW(_ZnamRKSt9nothrow_t, fallback_new_or_null)
NEW(_ZnwmSt11align_val_t, fallback_aligned)
NEW(_ZnamSt11align_val_t, fallback_aligned)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, fallback_aligned_or_null)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, fallback_aligned_or_null)

/* --- Delete --- */

static void fallback_delete(void *memory, size_t second, size_t third)
{
    (void)second;
    (void)third;
    free(memory);
}

#define DELETE(symbol)                                                                             \
    static struct form form_of_##symbol = { .name = #symbol };                                     \
    static                                                                                         \
        __attribute__((noinline)) void noted_##symbol(void *memory, size_t second, size_t third)   \
    {                                                                                              \
        struct sampled_allocation sampled;                                                         \
        delete_function *function = function_of(&form_of_##symbol, fallback_delete);               \
        bool is_counted = (allocations_active() & ALLOCATIONS_COUNTED) != 0;                       \
        int64_t bytes = is_counted ? usable_bytes(memory) : 0;                                     \
        int64_t before = before_noting();                                                          \
        if (memory != NULL)                                                                        \
            (void)note_end(memory, &sampled);                                                      \
        function(memory, second, third);                                                           \
        if (bytes > 0 && !was_noted_since(before))                                                 \
            profd_allocation_hooks.count(-bytes);                                                  \
    }                                                                                              \
    PROFD_INTERPOSED void symbol(void *memory, size_t second, size_t third);                       \
    PROFD_INTERPOSED void symbol(void *memory, size_t second, size_t third)                        \
    {                                                                                              \
        delete_function *function = function_of(&form_of_##symbol, fallback_delete);               \
        if (!form_of_##symbol.passes_malloc_by || free_passes(memory))                             \
            function(memory, second, third);                                                       \
        else                                                                                       \
            noted_##symbol(memory, second, third);                                                 \
    }

DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)
