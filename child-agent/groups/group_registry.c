#include "child-agent/groups/group_registry.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "child-agent/core.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/threads/thread_registration.h"
#include "common/apart.h"
#include "json/hash.h"

enum {
    BUCKETS = 16384,
    POOL_BYTES = 64 * 1024,
    POOL_ALIGNMENT = 16,
    MOST_GROUPS = 128 * 1024, /* there is no room in the arena for half as many */
    MOST_PEAKS = 1024,        /* of a process; others have thresholds alone */
};

static struct named_mutex lock = NAMED_MUTEX_INITIALIZER(GROUPS);
static __thread bool is_held_for_fork;

static struct {
    struct profd_group *buckets[BUCKETS];
    uint32_t count;
    uint8_t *pool;
    size_t pool_left;
    uint32_t peaks_count, peaks_epoch; /* how many there are, in the image of that epoch */
} registry LARGE_APART;

static struct profd_group other = { .references = 1, .is_active = true, .flags = GROUP_IS_OTHER };

/* --- The lock --- */

/* A handler of the program may wait, which looks for loops, but not for whom it interrupted.
 * Returns whether the thread was in here already. */
bool group_registry_hold(void)
{
    bool was_in_groups = thread_current != NULL && thread_current->is_in_groups;
    if (thread_current != NULL)
        thread_current->is_in_groups = true;
    atomic_signal_fence(memory_order_seq_cst);
    named_mutex_lock(&lock);
    return was_in_groups;
}

void group_registry_release(bool was_in_groups)
{
    named_mutex_unlock(&lock);
    atomic_signal_fence(memory_order_seq_cst);
    if (thread_current != NULL)
        thread_current->is_in_groups = was_in_groups;
}

/* --- Memory --- */

/* The lock is held. */
static void *take_from_pool(size_t bytes)
{
    bytes = (bytes + POOL_ALIGNMENT - 1) / POOL_ALIGNMENT * POOL_ALIGNMENT;
    if (bytes > registry.pool_left) {
        void *pages =
            mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED || bytes > POOL_BYTES)
            return NULL;
        registry.pool = pages;
        registry.pool_left = POOL_BYTES;
    }
    void *memory = registry.pool;
    registry.pool += bytes;
    registry.pool_left -= bytes;
    return memory;
}

void *group_registry_allocate(size_t bytes)
{
    bool held = group_registry_hold();
    void *memory = take_from_pool(bytes);
    group_registry_release(held);
    return memory;
}

/* --- Groups --- */

static size_t bounded_length(const char *text)
{
    return strnlen(text, GROUP_TEXT_MAX_BYTES);
}

static struct profd_group **bucket_of(const struct group_identity *identity)
{
    uint64_t hash = hash_mix(hash_bytes(identity->kind, bounded_length(identity->kind)),
                             hash_bytes(identity->name, bounded_length(identity->name)));
    return &registry.buckets[hash % BUCKETS];
}

static bool has_text(const char *text, size_t bytes, const char *other_text)
{
    return bytes == bounded_length(other_text) && memcmp(text, other_text, bytes) == 0;
}

static bool is_group(const struct profd_group *group, const struct group_identity *identity)
{
    const uint32_t shape = GROUP_IS_TOP | GROUP_IS_UNIT;
    bool is_taken = (group->flags & GROUP_IS_TOP) && atomic_load(&group->references) != 0;
    return !is_taken && (group->flags & shape) == (identity->flags & shape) &&
           has_text(group->text, group->kind_bytes, identity->kind) &&
           has_text(group->text + group->kind_bytes, group->name_bytes, identity->name);
}

/* The lock is held. */
static struct profd_group *add_group(const struct group_identity *identity, bool is_active)
{
    size_t kind_bytes = bounded_length(identity->kind), name_bytes = bounded_length(identity->name);
    struct profd_group *group = registry.count < MOST_GROUPS
                                    ? take_from_pool(sizeof(*group) + kind_bytes + name_bytes)
                                    : NULL;
    if (group == NULL) {
        if (core_local.has_arena)
            atomic_fetch_add(&core.arena.header->groups.folded, 1);
        return &other;
    }
    registry.count++;
    group->is_active = is_active;
    group->flags = identity->flags;
    group->id = identity->id;
    group->kind_bytes = (uint8_t)kind_bytes;
    group->name_bytes = (uint8_t)name_bytes;
    memcpy(group->text, identity->kind, kind_bytes);
    memcpy(group->text + kind_bytes, identity->name, name_bytes);
    struct profd_group **bucket = bucket_of(identity);
    group->next = *bucket;
    *bucket = group;
    return group;
}

static struct group_record *known_record(const struct profd_group *group)
{
    bool is_own = atomic_load_explicit(&group->record_epoch, memory_order_acquire) == core_epoch;
    return is_own ? atomic_load_explicit(&group->record, memory_order_relaxed) : NULL;
}

/* Threads of one name have it one after the other. */
static void take_over_top(struct profd_group *group, int32_t thread)
{
    struct group_record *record = known_record(group);
    atomic_store(&group->thread, thread);
    if (record != NULL && (record->flags & GROUP_IS_TOP))
        atomic_store(&record->thread, thread);
}

struct profd_group *group_registry_ref(const struct group_identity *identity, bool is_active)
{
    bool held = group_registry_hold();
    struct profd_group *group = *bucket_of(identity);
    while (group != NULL && !is_group(group, identity))
        group = group->next;
    if (group == NULL)
        group = add_group(identity, is_active);
    else if (atomic_load(&group->references) == 0)
        group->is_active = is_active;
    atomic_fetch_add(&group->references, 1);
    if (group->flags & GROUP_IS_TOP)
        take_over_top(group, identity->thread);
    group_registry_release(held);
    return group;
}

void group_registry_unref(struct profd_group *group)
{
    atomic_fetch_sub(&group->references, 1);
}

/* --- Records --- */

static void set_record(struct profd_group *group, struct group_record *record)
{
    atomic_store_explicit(&group->record, record, memory_order_relaxed);
    atomic_store_explicit(&group->record_epoch, core_epoch, memory_order_release);
}

static int add_record(struct profd_group *group, const char *kind, const char *name)
{
    struct group_record *record;
    const struct group_identity identity = { .kind = kind,
                                             .name = name,
                                             .flags = group->flags,
                                             .thread = atomic_load(&group->thread),
                                             .id = group->id };
    int error = group_table_add(&core.arena, &identity, &record);
    if (error == 0)
        set_record(group, record);
    return error;
}

/* There is room for it as long as there is for any: it is the first. The lock is held. */
static struct group_record *get_other_record(void)
{
    if (known_record(&other) == NULL && add_record(&other, "other", "other") < 0)
        return NULL;
    return known_record(&other);
}

/* The lock is held. */
static struct group_record *make_record(struct profd_group *group)
{
    char kind[GROUP_TEXT_MAX_BYTES + 1] = "", name[GROUP_TEXT_MAX_BYTES + 1] = "";
    struct group_record *others = get_other_record();
    if (others == NULL || known_record(group) != NULL)
        return known_record(group);
    memcpy(kind, group->text, group->kind_bytes);
    memcpy(name, group->text + group->kind_bytes, group->name_bytes);
    if (add_record(group, kind, name) < 0) {
        atomic_fetch_add(&core.arena.header->groups.folded, 1);
        set_record(group, others);
    }
    return known_record(group);
}

struct group_record *group_registry_record(struct profd_group *group)
{
    struct group_record *record = known_record(group);
    if (record != NULL || !core_local.has_arena)
        return record;
    bool held = group_registry_hold();
    record = make_record(group);
    group_registry_release(held);
    return record;
}

/* --- Peaks --- */

static bool knows_peaks(const struct profd_group *group)
{
    return atomic_load_explicit(&group->peaks_epoch, memory_order_acquire) == core_epoch;
}

/* What finds no room once is not tried again: the table only grows. The lock is held. */
static void make_peaks(struct profd_group *group, const struct group_record *record)
{
    struct group_peaks *peaks = NULL;
    if (knows_peaks(group))
        return;
    if (registry.peaks_epoch != core_epoch)
        registry.peaks_count = 0;
    registry.peaks_epoch = core_epoch;
    if (registry.peaks_count < MOST_PEAKS && group_peaks_add(&core.arena, record, &peaks) == 0)
        registry.peaks_count++;
    atomic_store_explicit(&group->peaks, peaks, memory_order_relaxed);
    atomic_store_explicit(&group->peaks_epoch, core_epoch, memory_order_release);
}

struct group_peaks *group_registry_peaks(struct profd_group *group)
{
    const struct group_record *record = group_registry_record(group);
    if (record == NULL)
        return NULL;
    if (record == known_record(&other))
        group = &other;
    if (!knows_peaks(group)) {
        bool held = group_registry_hold();
        make_peaks(group, record);
        group_registry_release(held);
    }
    return atomic_load_explicit(&group->peaks, memory_order_relaxed);
}

bool group_registry_is_free(void)
{
    return named_mutex_is_free_in_handler(&lock);
}

/* --- Fork --- */

void group_registry_before_fork(void)
{
    is_held_for_fork = named_mutex_lock_polling(&lock);
}

void group_registry_after_fork_parent(void)
{
    if (is_held_for_fork)
        named_mutex_unlock(&lock);
    is_held_for_fork = false;
}

void group_registry_after_fork_child(void)
{
    named_mutex_reset(&lock);
    is_held_for_fork = false;
}
