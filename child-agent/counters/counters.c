#include "child-agent/counters/counters.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "child-agent/core.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/upcalls.h"
#include "common/apart.h"

enum {
    SHARD_BYTES = 4096,
    /* Slots of counters that have no place: not asked for yet, and refused. Nobody reads these
     * cells. */
    SLOT_NEW = 0,
    SLOT_REFUSED = 1,
    SLOT_FIRST = 2,
    SLOT_COUNT = SLOT_FIRST + COUNTERS_MAX,
    NAME_BYTES = 64,
    DESCRIPTION_BYTES = 192,
    /* For values of later keys the C library calls malloc, whose hooks count. */
    KEYS_WITHOUT_MEMORY = 32,
};

struct shard {
    struct profd_counter_cell cells[SLOT_COUNT];
    struct shard *next; /* all there ever were; fixed once it is in the list */
    unsigned end_rounds;
    bool is_taken; /* by a thread that lives */
};

_Static_assert(sizeof(struct shard) <= SHARD_BYTES, "a shard is a page");
_Static_assert(SLOT_COUNT <= UCHAR_MAX + 1, "a slot fits a byte");

struct described_counter {
    char name[NAME_BYTES];
    char category[NAME_BYTES];
    char description[DESCRIPTION_BYTES];
};

/* Taken with all signals blocked: a handler may add, too. */
static struct named_mutex list_lock = NAMED_MUTEX_INITIALIZER(COUNTERS);

static bool has_end_key;
static pthread_key_t end_key; /* its destructor gives shards back */

static struct {
    struct shard *shards;
    _Atomic uint32_t count;
    struct described_counter described[COUNTERS_MAX];
    /* What ended threads left, and what is added by threads without a shard. */
    struct profd_counter_cell rest[SLOT_COUNT];
} counters LARGE_APART;

__thread struct profd_counter_cell *profd_counter_cells_; /* what a shard begins with */
static __thread bool is_ending; /* the calling thread has run its last destructors */
/* The calling thread is in fork() and has the lock. Handlers of the program may count there; in the
 * child, there is no arena yet. */
static __thread bool is_forking;

static void lock_list(sigset_t *mask)
{
    sigset_t all;
    if (is_forking)
        return;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, mask);
    named_mutex_lock(&list_lock);
}

static void unlock_list(const sigset_t *mask)
{
    if (is_forking)
        return;
    named_mutex_unlock(&list_lock);
    (void)real_pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* --- Shards --- */

/* The calling thread's, or NULL. */
static struct shard *own_shard(void)
{
    return (struct shard *)(void *)profd_counter_cells_;
}

static void add_to_rest(uint32_t slot, int64_t count, uint64_t number)
{
    __atomic_fetch_add(&counters.rest[slot].count, count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counters.rest[slot].number, number, __ATOMIC_RELAXED);
}

/* Empties SHARD, whose thread is gone or is the caller; the lock is held. */
static void give_back_shard(struct shard *shard)
{
    uint32_t end = SLOT_FIRST + atomic_load(&counters.count);
    for (uint32_t slot = SLOT_FIRST; slot < end; slot++)
        add_to_rest(slot, shard->cells[slot].count, shard->cells[slot].number);
    memset(shard->cells, 0, sizeof(shard->cells));
    shard->end_rounds = 0;
    shard->is_taken = false;
}

/* A destructor of thread-specific data. Those of the program may still add, so the shard stays
 * until the last round of destructors but one: in the last, a sanitizer cannot take a mutex. */
static void end_shard(void *value)
{
    struct shard *shard = value;
    sigset_t mask;
    if (++shard->end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1 &&
        pthread_setspecific(end_key, shard) == 0)
        return;
    lock_list(&mask);
    is_ending = true;
    profd_counter_cells_ = NULL;
    give_back_shard(shard);
    unlock_list(&mask);
}

/* A shard that no thread has; the lock is held. NULL without memory. */
static struct shard *find_shard(void)
{
    struct shard *shard = counters.shards;
    while (shard != NULL && shard->is_taken)
        shard = shard->next;
    if (shard != NULL)
        return shard;
    shard = mmap(NULL, SHARD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shard == MAP_FAILED)
        return NULL;
    shard->next = counters.shards;
    counters.shards = shard;
    return shard;
}

/* Gives the calling thread a shard if it may have one. */
static void take_shard(void)
{
    sigset_t mask;
    if (is_ending || !has_end_key)
        return;
    lock_list(&mask);
    struct shard *shard = own_shard() == NULL ? find_shard() : NULL;
    if (shard != NULL && pthread_setspecific(end_key, shard) == 0) {
        shard->is_taken = true;
        profd_counter_cells_ = shard->cells;
    }
    unlock_list(&mask);
}

/* --- Registering --- */

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* The lock is held. */
static int put_into_dictionary(uint32_t index)
{
    const struct described_counter *described = &counters.described[index];
    return dictionary_put_counter(&core.dictionary, index, described->name, described->category,
                                  described->description);
}

static bool is_same(const struct described_counter *a, const struct described_counter *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->category, b->category) == 0;
}

/* The slot of the counter that is DESCRIBED so; the lock is held. */
static uint32_t find_slot(const struct described_counter *described)
{
    uint32_t count = atomic_load(&counters.count);
    for (uint32_t i = 0; i < count; i++)
        if (is_same(&counters.described[i], described))
            return SLOT_FIRST + i;
    if (count == COUNTERS_MAX) {
        if (core_local.has_arena && !is_forking)
            arena_count_drop(&core.arena, DROP_TOO_MANY_COUNTERS, 1);
        return SLOT_REFUSED;
    }
    counters.described[count] = *described;
    if (core_local.has_arena && !is_forking)
        (void)put_into_dictionary(count); /* a full one is counted there */
    atomic_store(&counters.count, count + 1);
    return SLOT_FIRST + count;
}

static uint32_t register_counter(struct profd_counter *counter)
{
    struct described_counter described;
    sigset_t mask;
    upcall_end_dormancy();
    snprintf(described.name, sizeof(described.name), "%s", text_or_empty(counter->name));
    snprintf(described.category, sizeof(described.category), "%s",
             text_or_empty(counter->category));
    snprintf(described.description, sizeof(described.description), "%s",
             text_or_empty(counter->description));
    lock_list(&mask);
    uint32_t slot = find_slot(&described);
    __atomic_store_n(&counter->slot, slot, __ATOMIC_RELAXED);
    unlock_list(&mask);
    return slot;
}

int counters_index(struct profd_counter *counter)
{
    uint32_t slot = __atomic_load_n(&counter->slot, __ATOMIC_RELAXED);
    if (slot == SLOT_NEW)
        slot = register_counter(counter);
    return slot == SLOT_REFUSED ? -ENOSPC : (int)(slot - SLOT_FIRST);
}

int profd_counter_register(struct profd_counter *counter)
{
    int index = counters_index(counter);
    return index < 0 ? index : 0;
}

/* --- Adding and reading --- */

void profd_counter_add_slow_(struct profd_counter *counter, int64_t delta)
{
    uint8_t slot = (uint8_t)__atomic_load_n(&counter->slot, __ATOMIC_RELAXED);
    if (slot == SLOT_NEW)
        slot = (uint8_t)register_counter(counter);
    if (own_shard() == NULL) {
        upcall_end_dormancy();
        take_shard();
    }
    if (own_shard() != NULL)
        profd_counter_cell_add(&own_shard()->cells[slot], delta);
    else
        add_to_rest(slot, delta, 1);
}

void counters_add_shared(const struct profd_counter *counter, int64_t delta, uint64_t number)
{
    add_to_rest((uint8_t)__atomic_load_n(&counter->slot, __ATOMIC_RELAXED), delta, number);
}

uint32_t counters_count(void)
{
    return atomic_load(&counters.count);
}

static void add_cells(struct counter_total *totals, const struct profd_counter_cell *cells,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        totals[i].count += __atomic_load_n(&cells[SLOT_FIRST + i].count, __ATOMIC_RELAXED);
        totals[i].number += __atomic_load_n(&cells[SLOT_FIRST + i].number, __ATOMIC_RELAXED);
    }
}

void counters_read(struct counter_total *totals, uint32_t count)
{
    memset(totals, 0, count * sizeof(*totals));
    named_mutex_lock(&list_lock);
    add_cells(totals, counters.rest, count);
    for (const struct shard *shard = counters.shards; shard != NULL; shard = shard->next)
        if (shard->is_taken)
            add_cells(totals, shard->cells, count);
    named_mutex_unlock(&list_lock);
}

void counters_hold(sigset_t *mask)
{
    lock_list(mask);
}

void counters_release(const sigset_t *mask)
{
    unlock_list(mask);
}

bool counters_are_free(void)
{
    return named_mutex_is_free_in_handler(&list_lock);
}

int counters_describe(void)
{
    int error = 0;
    uint32_t count = atomic_load(&counters.count);
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = put_into_dictionary(i);
    return error;
}

/* --- Life --- */

int counters_initialize(void)
{
    int error = pthread_key_create(&end_key, end_shard);
    if (error == 0 && end_key >= KEYS_WITHOUT_MEMORY) {
        (void)pthread_key_delete(end_key); /* one that is there */
        error = EAGAIN;
    }
    has_end_key = error == 0;
    return -error;
}

static uint32_t count_before_fork; /* under the lock */

/* All signals are blocked from before the first of these until after the last. */
void counters_before_fork(void)
{
    named_mutex_lock(&list_lock);
    count_before_fork = atomic_load(&counters.count);
    is_forking = true;
}

void counters_after_fork_parent(void)
{
    is_forking = false;
    if (core_local.has_arena)
        for (uint32_t i = count_before_fork; i < atomic_load(&counters.count); i++)
            (void)put_into_dictionary(i); /* a full one is counted there */
    named_mutex_unlock(&list_lock);
}

void counters_after_fork_child(void)
{
    is_forking = false;
    named_mutex_reset(&list_lock);
    for (struct shard *shard = counters.shards; shard != NULL; shard = shard->next)
        if (shard->is_taken && shard != own_shard())
            give_back_shard(shard);
}
