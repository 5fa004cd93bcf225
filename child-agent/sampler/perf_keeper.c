#include "child-agent/sampler/perf_keeper.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "buffer/perf_event.h"
#include "child-agent/sampler/perf_clock.h"
#include "child-agent/threads/thread_registry.h"
#include "common/apart.h"

enum {
    MARKS_PER_WORD = 64,
    MARK_WORDS = REGISTRY_MAX_THREADS / MARKS_PER_WORD,
};

/* Of a slot; zeroed memory is none. */
struct kept_event {
    bool is_open;
    _Atomic int signal_number; /* 0: it is not open */
    int descriptor;
    uint32_t thread_index;
};

static struct {
    _Atomic uint64_t marks[MARK_WORDS];
    uint32_t slot_count; /* slots at and above this have no event */
    struct kept_event events[REGISTRY_MAX_THREADS];
} keeper LARGE_APART;

static _Atomic bool is_used; /* a forked child that has no marks does not touch them */

void perf_keeper_mark(uint32_t slot)
{
    atomic_store(&is_used, true);
    atomic_fetch_or(&keeper.marks[slot / MARKS_PER_WORD], UINT64_C(1) << slot % MARKS_PER_WORD);
}

static void close_event(struct kept_event *event)
{
    if (event->is_open)
        close(event->descriptor);
    event->is_open = false;
    atomic_store(&event->signal_number, 0);
}

static void follow_slot(uint32_t slot, const struct perf_wish *wish, uint64_t interval_ns,
                        int signal_number, struct perf_outcome *outcome)
{
    struct kept_event *event = &keeper.events[slot];
    if (!wish->wants_event || event->thread_index != wish->thread_index ||
        atomic_load(&event->signal_number) != signal_number)
        close_event(event);
    if (!wish->wants_event || event->is_open)
        return;
    int error = perf_clock_open(wish->thread, interval_ns, signal_number, &event->descriptor);
    if (error < 0) {
        enum clock_refusal refusal = perf_event_refusal(error);
        outcome->refusal = refusal != CLOCK_REFUSAL_NONE ? refusal : outcome->refusal;
        return;
    }
    event->is_open = true;
    atomic_store(&event->signal_number, signal_number);
    event->thread_index = wish->thread_index;
    outcome->has_opened = true;
    if (slot >= keeper.slot_count)
        keeper.slot_count = slot + 1;
}

struct perf_outcome perf_keeper_follow(perf_wish_of *wish_of, uint64_t interval_ns,
                                       int signal_number)
{
    struct perf_outcome outcome = { .refusal = CLOCK_REFUSAL_NONE };
    for (uint32_t word = 0; word < MARK_WORDS; word++) {
        if (atomic_load_explicit(&keeper.marks[word], memory_order_relaxed) == 0)
            continue;
        uint64_t marks = atomic_exchange(&keeper.marks[word], 0);
        outcome.has_changes = true;
        for (; marks != 0; marks &= marks - 1) {
            uint32_t slot = word * MARKS_PER_WORD + (uint32_t)__builtin_ctzll(marks);
            struct perf_wish wish = wish_of(slot);
            follow_slot(slot, &wish, interval_ns, signal_number, &outcome);
        }
    }
    return outcome;
}

int perf_keeper_signal_of(uint32_t slot)
{
    return atomic_load(&keeper.events[slot].signal_number);
}

void perf_keeper_close(void)
{
    for (uint32_t slot = 0; slot < keeper.slot_count; slot++) {
        if (keeper.events[slot].is_open)
            perf_keeper_mark(slot);
        close_event(&keeper.events[slot]);
    }
    keeper.slot_count = 0;
}

void perf_keeper_after_fork_child(void)
{
    if (atomic_exchange(&is_used, false)) {
        memset((void *)keeper.events, 0, keeper.slot_count * sizeof(keeper.events[0]));
        memset(keeper.marks, 0, sizeof(keeper.marks));
        keeper.slot_count = 0;
    }
    perf_clock_after_fork_child();
}
