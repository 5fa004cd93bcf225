#include "child-agent/allocations/allocation_sampler.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "buffer/clock.h"
#include "child-agent/allocations/allocation_draw.h"
#include "child-agent/allocations/allocation_table.h"
#include "child-agent/core.h"
#include "child-agent/guest/pages.h"
#include "child-agent/malloc_hooks/allocation_hooks.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/sampler/snapshot_stack.h"
#include "child-agent/threads/allocation_pace.h"
#include "child-agent/threads/thread_registration.h"
#include "ipc/messages.h"

static struct {
    struct allocation_table *table;
    uint64_t interval_bytes;
    volatile uint32_t generation; /* the recording under way; 0: none */
} sampler;

/* --- In the thread --- */

/* 0 as well in a child that fork.h does not know of. */
static uint32_t generation_now(void)
{
    return core_local.recording_generation != 0 ? sampler.generation : 0;
}

/* Not while it forks: in the child there is no arena to count in. */
static void count_missed(void)
{
    if (!core_is_forking)
        arena_count_drop(&core.arena, DROP_MISSED_ALLOCATION, 1);
}

/* What unwinding may look at: SITE in the frame of SELF's that called. Other registers are not
 * known, so a walk that needs one ends there. */
static void show_site(struct sample_room *room, const struct thread_registration *self,
                      const struct allocation_site *site)
{
    struct snapshot *snapshot = &room->snapshot;
    memset(snapshot->registers, 0, sizeof(snapshot->registers));
    snapshot->registers[REGISTER_RIP] = site->pc;
    snapshot->registers[REGISTER_RSP] = site->stack_address;
    snapshot->registers[REGISTER_RBP] = site->frame_pointer;
    snapshot_show(snapshot, self, room->foreign_stack);
}

static int write_in_room(struct sample_room *room, const struct thread_registration *self,
                         const struct allocation_site *site, struct allocation *allocation)
{
    const struct snapshot *snapshot = &room->snapshot;
    bool is_complete;
    show_site(room, self, site);
    allocation->depth =
        (uint32_t)snapshot_stack(snapshot, self, room->native, room->merged, &is_complete);
    allocation->frames = room->merged;
    allocation->is_truncated = !is_complete;
    allocation->ticks = snapshot->ticks;
    if (!is_complete)
        arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    return allocation_encoder_write(&room->allocations, allocation);
}

/* What is to be written, and what came of it. */
struct written_allocation {
    const struct thread_registration *self;
    const struct allocation_site *site;
    struct allocation allocation;
    int error;
};

static void write_at_work(struct sample_room *room, void *argument)
{
    struct written_allocation *written = argument;
    written->error = write_in_room(room, written->self, written->site, &written->allocation);
}

/* What SELF did at SITE: it allocated what SAMPLED stands for, or freed it, with a negative SIZE.
 * False when it could not be written, which is counted. */
static bool write_allocation(const struct thread_registration *self,
                             const struct allocation_site *site, const void *address,
                             const struct sampled_allocation *sampled, int64_t size)
{
    struct written_allocation written = {
        .self = self,
        .site = site,
        .allocation = { .owner_index = sampled->thread_index,
                        .actor_index = self->index,
                        .size = size,
                        .address = (uint64_t)(uintptr_t)address },
        .error = -EAGAIN,
    };
    if (core_is_forking || !sample_room_work(write_at_work, &written) || written.error == -EAGAIN)
        count_missed();
    return written.error == 0;
}

static void remember_allocation(void *address, const struct allocation_site *site,
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
    if (!write_allocation(self, site, address, sampled, sampled->weight))
        (void)allocation_table_take(sampler.table, address, &lost);
    errno = call_errno;
}

static bool forget_allocation(void *address, const struct allocation_site *site,
                              struct sampled_allocation *out)
{
    const struct thread_registration *self = thread_current;
    int call_errno = errno;
    if (!allocation_table_take(sampler.table, address, out) || out->generation != generation_now())
        return false;
    if (self != NULL)
        (void)write_allocation(self, site, address, out, -out->weight); /* counted there */
    errno = call_errno;
    return true;
}

/* SELF: NULL, if the calling thread is not registered. */
static uint64_t interval_of(const struct thread_registration *self)
{
    return self != NULL ? allocation_pace_interval(&self->allocation_pace, sampler.interval_bytes)
                        : sampler.interval_bytes;
}

static void draw_next(struct allocation_countdown *countdown,
                      const struct thread_registration *self)
{
    countdown->bytes = allocation_draw_distance(&countdown->random, interval_of(self));
}

/* A new recording's first distance begins before what was allocated just now. True when that was
 * hit. */
static bool begin_countdown(struct allocation_countdown *countdown,
                            struct thread_registration *self, uint32_t generation, size_t bytes)
{
    countdown->generation = generation;
    countdown->random ^= clock_ticks() ^ (uint64_t)countdown;
    if (self != NULL)
        self->allocation_pace = (struct allocation_pace){ 0 };
    draw_next(countdown, self);
    countdown->bytes -= (int64_t)bytes;
    return countdown->bytes <= 0;
}

static void sample_allocation(struct allocation_countdown *countdown, void *address, size_t bytes,
                              const struct allocation_site *site)
{
    struct thread_registration *self = thread_current;
    uint32_t generation = generation_now();
    if (generation == 0 || (countdown->generation != generation &&
                            !begin_countdown(countdown, self, generation, bytes)))
        return;
    const uint64_t interval_bytes = interval_of(self); /* by which this one was drawn */
    if (self != NULL)
        allocation_pace_note(&self->allocation_pace, core_now_or_unknown_ns());
    draw_next(countdown, self);
    if (self == NULL || !(atomic_load(&self->profiled_features) & PROFD_THREAD_ALLOCATIONS))
        return;
    const struct sampled_allocation sampled = {
        .weight = allocation_weight(bytes, interval_bytes),
        .thread_index = self->index,
        .generation = generation,
    };
    remember_allocation(address, site, &sampled);
}

/* --- The session's side --- */

int allocation_sampler_start(uint64_t interval_bytes, uint32_t recording,
                             struct allocation_hooks *hooks)
{
    if (sampler.table == NULL)
        sampler.table = pages_allocate(sizeof(*sampler.table));
    if (sampler.table == NULL)
        return -ENOMEM;
    sampler.interval_bytes =
        interval_bytes != 0 ? interval_bytes : MESSAGE_DEFAULT_ALLOCATION_BYTES;
    hooks->filter = &sampler.table->filter;
    hooks->sample = sample_allocation;
    hooks->forget = forget_allocation;
    hooks->remember = remember_allocation;
    sampler.generation = recording;
    return 0;
}

void allocation_sampler_stop(void)
{
    sampler.generation = 0;
}

void allocation_sampler_after_fork_child(void)
{
    sampler.generation = 0;
    /* Threads of the parent may have been in the middle of it. What was private is zero then. */
    if (sampler.table != NULL)
        (void)madvise(sampler.table, sizeof(*sampler.table), MADV_DONTNEED);
}
