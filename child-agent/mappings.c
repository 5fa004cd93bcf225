#include "child-agent/mappings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/counters.h"
#include "child-agent/mapping_hooks.h"
#include "child-agent/mapping_table.h"
#include "child-agent/pages.h"
#include "child-agent/real_calls.h"
#include "profd_counters.h"

enum { LOG_LINE_BYTES = 128 };

PROFD_COUNTER(mapped_memory, "mapped", "Memory",
              "anonymous memory that the program mapped and has not unmapped, in bytes, used or "
              "not; what its allocators map is part of it, except the C library's own");

/* The library of the hooks may not be there. */
extern struct mapping_hooks profd_mapping_hooks __attribute__((weak));

/* The kernel empties it in a child, however that was forked: nobody has the lock there, and the
 * child counts what it maps itself. */
static struct {
    pthread_mutex_t mutex;
    struct mapping_table table;
} * mappings;

static uint64_t page_bytes;

/* Signals wait: their handlers may map as well. */
static void lock(sigset_t *mask)
{
    sigset_t all;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, mask);
    pthread_mutex_lock(&mappings->mutex);
}

static void unlock(const sigset_t *mask)
{
    pthread_mutex_unlock(&mappings->mutex);
    (void)real_pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* --- A turn --- */

/* The pages of BYTES at START. The data segment may end within a page: the page is there until it
 * ends before it. */
static struct mapped_range pages_of(const void *start, size_t bytes)
{
    uint64_t first = (uint64_t)start + page_bytes - 1, beyond = first + bytes;
    return (struct mapped_range){ first - first % page_bytes, beyond - beyond % page_bytes };
}

static void begin(struct mapping_turn *turn)
{
    turn->bytes = 0;
    turn->changes_anonymous = false;
    lock(&turn->mask);
}

static void take(struct mapping_turn *turn, struct mapped_range range)
{
    uint64_t bytes = mapping_table_take(&mappings->table, range.start, range.end);
    turn->bytes -= (int64_t)bytes;
    turn->changes_anonymous |= bytes > 0;
}

static void put(struct mapping_turn *turn, struct mapped_range range)
{
    if (mapping_table_put(&mappings->table, range.start, range.end))
        turn->bytes += (int64_t)(range.end - range.start);
    else
        arena_count_drop(&core.arena, DROP_MISSED_MAPPING, 1);
    turn->changes_anonymous = true;
}

static void mapped(struct mapping_turn *turn, const void *start, size_t bytes, bool is_anonymous)
{
    struct mapped_range range = pages_of(start, bytes);
    take(turn, range);
    if (is_anonymous && range.start < range.end)
        put(turn, range);
}

static void unmapped(struct mapping_turn *turn, const void *start, size_t bytes)
{
    take(turn, pages_of(start, bytes));
}

static void moved(struct mapping_turn *turn, const void *start, size_t old_bytes, bool is_kept,
                  const void *new_start, size_t bytes)
{
    bool is_anonymous = mapping_table_has(&mappings->table, (uint64_t)start);
    if (!is_kept)
        take(turn, pages_of(start, old_bytes));
    mapped(turn, new_start, bytes, is_anonymous);
}

/* Not into the thread's part of the counter: a thread that has none yet would allocate, and the
 * allocator may be in the midst of getting the very memory for that. */
static void end(struct mapping_turn *turn)
{
    int saved_errno = errno;
    if (turn->changes_anonymous)
        counters_add_shared(&mapped_memory, turn->bytes);
    unlock(&turn->mask);
    errno = saved_errno;
}

/* --- Sessions --- */

static int initialize(void)
{
    page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    void *pages = pages_allocate(sizeof(*mappings));
    if (pages == NULL)
        return -ENOMEM;
    if (madvise(pages, sizeof(*mappings), MADV_WIPEONFORK) < 0) {
        pages_free(pages, sizeof(*mappings));
        return -ENOSYS;
    }
    mappings = pages;
    profd_mapping_hooks.begin = begin;
    profd_mapping_hooks.mapped = mapped;
    profd_mapping_hooks.unmapped = unmapped;
    profd_mapping_hooks.moved = moved;
    profd_mapping_hooks.end = end;
    return 0;
}

static int start(void)
{
    sigset_t mask;
    int err = mappings == NULL ? initialize() : 0;
    if (err == 0)
        err = profd_counter_register(&mapped_memory);
    if (err < 0)
        return err;
    lock(&mask);
    mappings->table.count = 0;
    unlock(&mask);
    atomic_store(&profd_mapping_hooks.is_active, true);
    return 0;
}

void mappings_start(void)
{
    char line[LOG_LINE_BYTES];
    int err = &profd_mapping_hooks != NULL ? start() : 0;
    if (err == 0)
        return;
    snprintf(line, sizeof(line), "what is mapped is not counted: %s", strerrordesc_np(-err));
    (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(), line); /* counted when full */
}

void mappings_stop(void)
{
    if (&profd_mapping_hooks != NULL)
        atomic_store(&profd_mapping_hooks.is_active, false);
}
