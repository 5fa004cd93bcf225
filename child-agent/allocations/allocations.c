#include "child-agent/allocations/allocations.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "child-agent/allocations/allocation_counter.h"
#include "child-agent/allocations/allocation_sampler.h"
#include "child-agent/allocations/mappings.h"
#include "child-agent/core.h"
#include "child-agent/malloc_hooks/allocation_hooks.h"
#include "ipc/messages.h"

enum { LOG_LINE_BYTES = 512 };

/* The library of the hooks may not be there. */
extern struct allocation_hooks profd_allocation_hooks __attribute__((weak));
extern void profd_allocation_begin_anew(void) __attribute__((weak)); /* nor was it always in it */

/* What the session under way wants and gets: enum of allocation_hooks.h. */
static uint32_t wanted;

static void log_reason(const char *text, const char *detail)
{
    char line[LOG_LINE_BYTES];
    snprintf(line, sizeof(line), "allocations are not recorded: %s%s", text, detail);
    (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(), line); /* counted when full */
}

/* Whether the hooks are what a call of malloc comes to, found out by one. */
static bool are_called(void)
{
    void *(*volatile allocate)(size_t bytes) = malloc;
    if (!profd_allocation_hooks.were_called())
        free(allocate(1));
    return profd_allocation_hooks.were_called();
}

/* The file whose malloc comes before the hooks', or NULL. */
static const char *find_first_allocator(void)
{
    static Dl_info first;
    Dl_info hooks;
    const ElfW(Sym) *symbol = NULL;
    const void *malloc_of_all = dlsym(RTLD_DEFAULT, "malloc");
    if (malloc_of_all == NULL ||
        dladdr1(malloc_of_all, &first, (void **)&symbol, RTLD_DL_SYMENT) == 0 ||
        dladdr(&profd_allocation_hooks, &hooks) == 0)
        return "an allocator that cannot be found";
    if (first.dli_fbase == hooks.dli_fbase)
        return NULL;
    /* A program at a fixed address may have an entry for malloc that only leads to the real one. */
    if (symbol != NULL && symbol->st_shndx == SHN_UNDEF)
        return are_called() ? NULL : "an allocator that was loaded before them";
    return first.dli_fname;
}

/* Looked for once: a forked child must not ask the loader. */
static const char *other_allocator(void)
{
    static const char *other;
    static bool is_known;
    if (!is_known)
        other = find_first_allocator();
    is_known = true;
    return other;
}

/* Whether the program's allocations come by the hooks; says so if not. */
static bool are_hooked(void)
{
    if (&profd_allocation_hooks == NULL) {
        log_reason(
            "libprofd-malloc.so is not loaded: it is preloaded only if a session is active when "
            "the program starts, as with profctl run",
            "");
        return false;
    }
    const char *other = other_allocator();
    if (other != NULL)
        log_reason("allocations bypass the hooks and go straight to ", other);
    return other == NULL;
}

static void start_counting(void)
{
    if (!profd_allocation_hooks.knows_sizes())
        log_reason("no memory counter: the allocator does not report the sizes of freed blocks",
                   "");
    else if (allocation_counter_start(&profd_allocation_hooks) < 0)
        log_reason("no memory counter: there are too many counters", "");
    else
        wanted |= ALLOCATIONS_COUNTED;
}

static void start_sampling(const struct session_settings *settings, uint32_t recording)
{
    if (allocation_sampler_start(settings->allocation_interval_bytes, recording,
                                 &profd_allocation_hooks) < 0)
        log_reason("no memory for the table of samples", "");
    else
        wanted |= ALLOCATIONS_SAMPLED | ALLOCATIONS_MATCHED;
}

static void set_active(uint32_t bits)
{
    uint32_t early = atomic_load(&profd_allocation_hooks.active) & ALLOCATIONS_EARLY;
    atomic_store(&profd_allocation_hooks.active, early | bits);
}

static void start_hooks(const struct session_settings *settings, uint32_t recording)
{
    if (settings->features & FEATURE_MEMORY)
        start_counting();
    if (settings->features & FEATURE_NATIVEALLOCS)
        start_sampling(settings, recording);
    set_active(wanted);
    allocations_set_paused(settings->is_paused);
}

void allocations_start(const struct session_settings *settings, uint32_t recording)
{
    wanted = 0;
    if ((settings->features & FEATURES_OF_ALLOCATIONS) && are_hooked())
        start_hooks(settings, recording);
    if (settings->features & FEATURE_MEMORY)
        mappings_start();
}

/* What is no longer wanted. */
static void stop_some(uint64_t features)
{
    if (features & FEATURE_MEMORY) {
        wanted &= ~(uint32_t)ALLOCATIONS_COUNTED;
        mappings_stop();
    }
    if (features & FEATURE_NATIVEALLOCS) {
        wanted &= ~(uint32_t)(ALLOCATIONS_SAMPLED | ALLOCATIONS_MATCHED);
        allocation_sampler_stop();
    }
}

/* BEGUN: features that were not wanted before. */
static void start_some(uint64_t begun, const struct session_settings *settings, uint32_t recording)
{
    bool is_hooked = (begun & FEATURES_OF_ALLOCATIONS) && are_hooked();

    if (is_hooked && (begun & FEATURE_MEMORY))
        start_counting();
    if (is_hooked && (begun & FEATURE_NATIVEALLOCS))
        start_sampling(settings, recording);
    if (begun & FEATURE_MEMORY)
        mappings_start();
}

void allocations_change(const struct session_settings *before, const struct session_settings *after,
                        uint32_t recording)
{
    uint32_t wanted_before = wanted;

    stop_some(before->features & ~after->features);
    start_some(after->features & ~before->features, after, recording);
    if ((wanted & wanted_before & ALLOCATIONS_SAMPLED) &&
        before->allocation_interval_bytes != after->allocation_interval_bytes)
        start_sampling(after, recording);
    if ((wanted | wanted_before) != 0)
        set_active(wanted);
    allocations_set_paused(after->is_paused);
}

void allocations_set_paused(bool is_paused)
{
    if (wanted != 0)
        set_active(is_paused ? wanted & ~(uint32_t)ALLOCATIONS_SAMPLED : wanted);
}

void allocations_stop(void)
{
    if (wanted != 0)
        set_active(0);
    wanted = 0;
    mappings_stop();
    allocation_sampler_stop();
}

void allocations_after_fork_child(void)
{
    if (wanted != 0)
        set_active(0);
    if (wanted != 0 && profd_allocation_begin_anew != NULL)
        profd_allocation_begin_anew();
    wanted = 0;
    mappings_after_fork_child();
    allocation_sampler_after_fork_child();
}
