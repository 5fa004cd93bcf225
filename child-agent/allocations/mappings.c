#include "child-agent/allocations/mappings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/allocations/mapping_table.h"
#include "child-agent/core.h"
#include "child-agent/counters/counters.h"
#include "child-agent/guest/pages.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/malloc_hooks/mapping_hooks.h"
#include "profd_counters.h"

enum { LOG_LINE_BYTES = 128 };

PROFD_COUNTER(mapped_memory, "mapped", "Memory",
              "anonymous memory that the program mapped and has not unmapped, in bytes, used or "
              "not; what its allocators map by the same calls is part of it");

/* The library of the hooks may not be there. */
extern struct mapping_hooks profd_mapping_hooks __attribute__((weak));

/* The kernel empties its page in a child, however that was forked: nobody has the lock there. */
static pthread_mutex_t *mutex;

/* A child has what its parent had mapped. */
static struct mapping_table *table;
static int64_t level_bytes;       /* what the counter stands at */
static volatile bool is_changing; /* the table; a child that is forked meanwhile cannot use it */
static bool is_kept;              /* what is in the table was mapped, and nothing else since */

static uint64_t page_bytes;

/* Signals wait: their handlers may map as well. */
static void lock_table(sigset_t *mask)
{
    sigset_t all;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, mask);
    pthread_mutex_lock(mutex);
}

static void unlock_table(const sigset_t *mask)
{
    pthread_mutex_unlock(mutex);
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

static void begin_turn(struct mapping_turn *turn)
{
    turn->bytes = 0;
    turn->changes_anonymous = false;
    lock_table(&turn->mask);
}

static void take_range(struct mapping_turn *turn, struct mapped_range range)
{
    is_changing = true;
    uint64_t bytes = mapping_table_take(table, range.start, range.end);
    is_changing = false;
    turn->bytes -= (int64_t)bytes;
    turn->changes_anonymous |= bytes > 0;
}

static void put_range(struct mapping_turn *turn, struct mapped_range range)
{
    is_changing = true;
    bool has_room = mapping_table_put(table, range.start, range.end);
    is_changing = false;
    if (has_room)
        turn->bytes += (int64_t)(range.end - range.start);
    else
        arena_count_drop(&core.arena, DROP_MISSED_MAPPING, 1);
    turn->changes_anonymous = true;
}

static void note_mapping(struct mapping_turn *turn, const void *start, size_t bytes,
                         bool is_anonymous)
{
    struct mapped_range range = pages_of(start, bytes);
    take_range(turn, range);
    if (is_anonymous && range.start < range.end)
        put_range(turn, range);
}

static void note_unmapping(struct mapping_turn *turn, const void *start, size_t bytes)
{
    take_range(turn, pages_of(start, bytes));
}

static void note_move(struct mapping_turn *turn, const void *start, size_t old_bytes, bool stays,
                      const void *new_start, size_t bytes)
{
    bool is_anonymous = mapping_table_has(table, (uint64_t)start);
    if (!stays)
        take_range(turn, pages_of(start, old_bytes));
    note_mapping(turn, new_start, bytes, is_anonymous);
}

/* Not into the thread's part of the counter: a thread that has none yet would allocate, and the
 * allocator may be in the midst of getting the very memory for that. */
static void end_turn(struct mapping_turn *turn)
{
    int saved_errno = errno;
    level_bytes += turn->bytes;
    if (turn->changes_anonymous)
        counters_add_shared(&mapped_memory, turn->bytes, 1);
    unlock_table(&turn->mask);
    errno = saved_errno;
}

/* --- Sessions --- */

static int initialize_table(void)
{
    page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    void *wiped = pages_allocate(sizeof(*mutex));
    void *inherited = pages_allocate(sizeof(*table));
    int error = wiped == NULL || inherited == NULL ? -ENOMEM : 0;
    if (error == 0 && madvise(wiped, page_bytes, MADV_WIPEONFORK) < 0)
        error = -errno;
    if (error < 0) {
        pages_free(wiped, sizeof(*mutex));
        pages_free(inherited, sizeof(*table));
        return error;
    }
    mutex = wiped;
    table = inherited;
    profd_mapping_hooks.begin = begin_turn;
    profd_mapping_hooks.mapped = note_mapping;
    profd_mapping_hooks.unmapped = note_unmapping;
    profd_mapping_hooks.moved = note_move;
    profd_mapping_hooks.end = end_turn;
    return 0;
}

/* Nobody told what was mapped since the last session. */
static void forget_all(void)
{
    sigset_t mask;
    lock_table(&mask);
    table->count = 0;
    counters_add_shared(&mapped_memory, -level_bytes, 0);
    level_bytes = 0;
    unlock_table(&mask);
}

static int start_hooks(void)
{
    int error = table == NULL ? initialize_table() : 0;
    if (error == 0)
        error = profd_counter_register(&mapped_memory);
    if (error < 0)
        return error;
    if (!is_kept)
        forget_all();
    is_kept = false;
    atomic_store(&profd_mapping_hooks.is_active, true);
    return 0;
}

void mappings_start(void)
{
    char line[LOG_LINE_BYTES];
    int error = &profd_mapping_hooks != NULL ? start_hooks() : 0;
    if (error == 0)
        return;
    snprintf(line, sizeof(line), "what is mapped is not counted: %s", strerrordesc_np(-error));
    (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(), line); /* counted when full */
}

void mappings_stop(void)
{
    is_kept = false;
    if (&profd_mapping_hooks != NULL)
        atomic_store(&profd_mapping_hooks.is_active, false);
}

void mappings_after_fork_child(void)
{
    bool was_active = &profd_mapping_hooks != NULL && profd_mapping_hooks.is_active;
    mappings_stop();
    is_kept = was_active && !is_changing;
    is_changing = false;
}
