#include "child-agent/allocations/allocation_sampler.h"

#include <errno.h>
#include <sys/mman.h>

#include "buffer/clock.h"
#include "child-agent/allocations/allocation_draw.h"
#include "child-agent/core.h"
#include "child-agent/guest/pages.h"
#include "child-agent/malloc_hooks/allocation_hooks.h"
#include "child-agent/markers/labels.h"
#include "child-agent/recording.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/threads/thread_registration.h"

enum {
    DEFAULT_INTERVAL_BYTES = 512 * 1024,
    RING_SPARE_BYTES = ALLOCATION_RING_BYTES / 4, /* left for ends of allocations */
};

static struct {
    struct allocation_ring *ring;
    struct allocation_table *table;
    uint64_t interval_bytes;
    volatile uint32_t generation; /* the recording under way; 0: none */
    uint32_t latest_generation;   /* as long as there is no other */
} sampler;

/* --- In the thread --- */

/* 0 as well in a child that fork.h does not know of. */
static uint32_t generation_now(void)
{
    return core_own.recording_generation != 0 ? sampler.generation : 0;
}

/* Not while it forks: in the child there is no arena to count in. */
static void count_missed(void)
{
    if (!core_is_forking)
        arena_count_drop(&core.arena, DROP_MISSED_ALLOCATION, 1);
}

/* The part of the stack from START on that is copied, and how much of it there is. */
static uint32_t live_bytes(const struct thread_registration *self, uint64_t start, bool *is_own)
{
    *is_own = start >= self->stack_low && start < self->stack_high;
    uint64_t live = *is_own ? self->stack_high - start : SNAPSHOT_FOREIGN_STACK_BYTES;
    return live < SNAPSHOT_STACK_BYTES ? (uint32_t)live : (uint32_t)SNAPSHOT_STACK_BYTES;
}

static void copy_stack(struct allocation_record *record, const struct thread_registration *self,
                       uint32_t bytes, bool is_own)
{
    uint64_t start = record->stack_address;
    uint8_t *out = allocation_record_stack(record);
    if (is_own) {
        snapshot_copy_bytes(out, start, bytes);
        record->stack_bytes = bytes;
        record->is_truncated = bytes < self->stack_high - start;
    } else {
        record->stack_bytes = (uint32_t)snapshot_copy_foreign_stack(out, start);
        record->is_truncated = 0;
    }
}

static void copy_labels(struct allocation_record *record, uint32_t count)
{
    record->label_count = count;
    for (uint32_t i = 0; i < count; i++) {
        record->labels[i].stack_address = thread_labels.labels[i].stack_address;
        record->labels[i].site = thread_labels.labels[i].site_index;
    }
}

static uint32_t live_labels(void)
{
    uint32_t depth =
        thread_labels.generation == core_own.recording_generation ? thread_labels.depth : 0;
    return depth < SNAPSHOT_MAX_LABELS ? depth : (uint32_t)SNAPSHOT_MAX_LABELS;
}

static void fill(struct allocation_record *record, const struct thread_registration *self,
                 const struct allocation_site *site)
{
    record->ticks = clock_ticks();
    record->actor_index = self->index;
    record->root_stack_address = self->is_main ? 0 : self->stack_high;
    record->pc = site->pc;
    record->stack_address = site->stack_address;
    record->frame_pointer = site->frame_pointer;
}

/* A record of SELF at SITE, with what it has on its stacks; NULL when the sampler is behind.
 */
static struct allocation_record *capture(const struct thread_registration *self,
                                         const struct allocation_site *site, uint32_t spare_bytes)
{
    bool is_own;
    uint32_t label_count = live_labels();
    uint32_t stack_bytes = live_bytes(self, site->stack_address, &is_own);
    size_t bytes = sizeof(struct allocation_record) + label_count * sizeof(struct snapshot_label);
    struct allocation_record *record =
        allocation_ring_reserve(sampler.ring, (uint32_t)bytes + stack_bytes, spare_bytes);
    if (record == NULL)
        return NULL;
    fill(record, self, site);
    copy_labels(record, label_count);
    copy_stack(record, self, stack_bytes, is_own);
    return record;
}

/* The same without the stacks: that a sampled allocation ended matters more than where. */
static struct allocation_record *capture_end(const struct thread_registration *self,
                                             const struct allocation_site *site)
{
    struct allocation_record *record = capture(self, site, 0);
    if (record != NULL)
        return record;
    record = allocation_ring_reserve(sampler.ring, sizeof(*record), 0);
    count_missed();
    if (record == NULL)
        return NULL;
    fill(record, self, site);
    record->label_count = record->stack_bytes = record->is_truncated = 0;
    return record;
}

static void publish(struct allocation_record *record, void *address,
                    const struct sampled_allocation *sampled, int64_t size)
{
    record->address = (uint64_t)address;
    record->owner_index = sampled->thread_index;
    record->generation = sampled->generation;
    record->size = size;
    allocation_ring_publish(record);
}

static void remember(void *address, const struct allocation_site *site,
                     const struct sampled_allocation *sampled)
{
    const struct thread_registration *self = thread_current;
    struct sampled_allocation lost;
    int call_errno = errno;
    /* First of all a place: without one its end could not be told, and it would seem to live for
     * ever. */
    if (self == NULL)
        return;
    if (!allocation_table_put(sampler.table, address, sampled)) {
        count_missed();
        return;
    }
    struct allocation_record *record = capture(self, site, RING_SPARE_BYTES);
    if (record != NULL) {
        publish(record, address, sampled, sampled->weight);
    } else {
        count_missed();
        (void)allocation_table_take(sampler.table, address, &lost);
    }
    errno = call_errno;
}

static bool forget(void *address, const struct allocation_site *site,
                   struct sampled_allocation *out)
{
    const struct thread_registration *self = thread_current;
    int call_errno = errno;
    if (!allocation_table_take(sampler.table, address, out) || out->generation != generation_now())
        return false;
    struct allocation_record *record = self != NULL ? capture_end(self, site) : NULL;
    if (record != NULL)
        publish(record, address, out, -out->weight);
    errno = call_errno;
    return true;
}

static void sample(struct allocation_countdown *countdown, void *address, size_t bytes,
                   const struct allocation_site *site)
{
    const struct thread_registration *self = thread_current;
    uint32_t generation = generation_now();
    bool is_drawn = countdown->generation == generation;
    if (generation == 0)
        return;
    if (!is_drawn) {
        countdown->generation = generation;
        countdown->random ^= clock_ticks() ^ (uint64_t)countdown;
        countdown->bytes =
            allocation_draw_distance(&countdown->random, sampler.interval_bytes) - (int64_t)bytes;
        if (countdown->bytes > 0)
            return;
    }
    countdown->bytes = allocation_draw_distance(&countdown->random, sampler.interval_bytes);
    if (self == NULL || !(atomic_load(&self->profiled_features) & PROFD_THREAD_ALLOCATIONS))
        return;
    struct sampled_allocation sampled = {
        .weight = allocation_weight(bytes, sampler.interval_bytes),
        .thread_index = self->index,
        .generation = generation,
    };
    remember(address, site, &sampled);
}

/* --- The session's side --- */

int allocation_sampler_start(uint64_t interval_bytes, uint32_t recording,
                             struct allocation_hooks *hooks)
{
    if (sampler.ring == NULL)
        sampler.ring = pages_allocate(sizeof(*sampler.ring));
    if (sampler.table == NULL)
        sampler.table = pages_allocate(sizeof(*sampler.table));
    if (sampler.ring == NULL || sampler.table == NULL)
        return -ENOMEM;
    sampler.interval_bytes =
        interval_bytes != 0 ? interval_bytes : (uint64_t)DEFAULT_INTERVAL_BYTES;
    hooks->filter = &sampler.table->filter;
    hooks->sample = sample;
    hooks->forget = forget;
    hooks->remember = remember;
    sampler.generation = sampler.latest_generation = recording;
    return 0;
}

void allocation_sampler_stop(void)
{
    sampler.generation = 0;
}

void allocation_sampler_after_fork_child(void)
{
    sampler.generation = 0;
    /* Threads of the parent may have been in the middle of both. What was private is zero then. */
    if (sampler.ring != NULL)
        (void)madvise(sampler.ring, sizeof(*sampler.ring), MADV_DONTNEED);
    if (sampler.table != NULL)
        (void)madvise(sampler.table, sizeof(*sampler.table), MADV_DONTNEED);
}

struct allocation_ring *allocation_sampler_ring(uint32_t *generation)
{
    *generation = sampler.latest_generation;
    return sampler.ring;
}
