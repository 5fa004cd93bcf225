#include <string.h>

#include "buffer/clock.h"
#include "child-agent/guest/cpu_clock.h"
#include "child-agent/sampler/sampler_tick_inside.h"
#include "child-agent/sampler/thread_look.h"

/* The thread's answer, whose stack is that of the look to the last byte: it is in the same wait, or
 * in one like it. NULL: there is none. */
static const struct snapshot *answer_of_same_stack(const struct thread_registration *thread,
                                                   const struct snapshot *look)
{
    const struct snapshot_copy *copy = atomic_load(&thread->snapshot);
    if (copy == NULL || atomic_load_explicit(&copy->state, memory_order_acquire) != SNAPSHOT_EMPTY)
        return NULL;
    const struct snapshot *answer = &copy->snapshot;
    uint64_t offset = look->stack_start - answer->stack_start; /* a red zone */
    if (look->stack_bytes == 0 ||
        answer->registers[REGISTER_RSP] != look->registers[REGISTER_RSP] ||
        answer->stack != copy->stack || offset >= answer->stack_bytes)
        return NULL;
    uint64_t bytes = answer->stack_bytes - offset;
    if (bytes > look->stack_bytes)
        bytes = look->stack_bytes;
    return memcmp(answer->stack + offset, look->stack, bytes) == 0 ? answer : NULL;
}

/* What is known of the registers where a stack of COUNT frames ends for want of them. */
static bool complete_registers(const struct sampler_tick *tick,
                               const struct thread_registration *thread, size_t count,
                               struct snapshot *look)
{
    uint64_t distance;
    if (known_frames_find(&tick->known_frames, tick->native[count - 1].address, &distance)) {
        look->registers[REGISTER_RBP] =
            missed_frame_stack_pointer(look, tick->native, count) + distance;
        return true;
    }
    const struct snapshot *answer = answer_of_same_stack(thread, look);
    if (answer == NULL)
        return false;
    uint64_t pc = look->registers[REGISTER_RIP];
    memcpy(look->registers, answer->registers, sizeof(look->registers));
    look->registers[REGISTER_RIP] = pc; /* behind the call, which may be about to be made again */
    return true;
}

/* The frames of what was copied of THREAD. */
static size_t unwind_copy(struct sampler_tick *tick, const struct thread_registration *thread,
                          bool *is_complete)
{
    struct snapshot *snapshot = &tick->sleeping.snapshot;
    size_t count = snapshot_unwind(snapshot, thread, tick->native, is_complete);
    if (*is_complete || !complete_registers(tick, thread, count, snapshot))
        return count;
    return snapshot_unwind(snapshot, thread, tick->native, is_complete);
}

/* The stack went on where the copy ended: whoever is asked can copy no more. */
static bool ends_with_copy(const struct snapshot *snapshot, const struct unwind_frame *last)
{
    enum { NEAR_BYTES = 4096 };
    return snapshot->is_truncated &&
           last->stack_address - snapshot->stack_start + NEAR_BYTES >= snapshot->stack_bytes;
}

/* Where THREAD sleeps. */
static enum tick_look write_look(struct sampler_tick *tick, struct thread_registration *thread,
                                 bool takes_part)
{
    const struct snapshot *snapshot = &tick->sleeping.snapshot;
    struct thread_sampler_data *sampled = thread_sampled(sampler_tick_access(tick), thread);
    bool is_complete;
    size_t count = unwind_copy(tick, thread, &is_complete);
    if (!is_complete && !takes_part && !ends_with_copy(snapshot, &tick->native[count - 1]) &&
        answer_of_same_stack(thread, snapshot) == NULL) {
        sampled->missed = missed_frame_of(tick->native, count);
        return TICK_LOOK_BLIND;
    }
    sampler_tick_write_stack(tick, thread, snapshot, count, snapshot->ticks, !is_complete);
    return TICK_LOOK_WRITTEN;
}

enum tick_look sampler_tick_look_at(struct sampler_tick *tick, struct thread_registration *thread,
                                    uint64_t cpu_ns, bool takes_part)
{
    struct sleeping_place place;
    enum thread_look look = thread_look(&tick->look_files, thread->id, &place);
    if (look != THREAD_LOOK_SLEEPS)
        return look == THREAD_LOOK_RUNS ? TICK_LOOK_RUNS : TICK_LOOK_BLIND;
    thread_look_copy(thread, &place, &tick->sleeping);
    /* One that woke up while its stack was copied is told from its clock. */
    if (clock_read_ns(thread->cpu_clock) != cpu_ns)
        return TICK_LOOK_RUNS;
    return write_look(tick, thread, takes_part);
}

/* A thread that has not run since it was found asleep is where it was. */
static void look_at_thread(struct sampler_tick *tick, struct thread_registration *thread)
{
    struct thread_sampler_data *sampled = thread_sampled(sampler_tick_access(tick), thread);
    uint64_t cpu_ns = sampler_tick_read_clock(thread);
    if (cpu_ns == 0 || (sampled->run == tick->run && cpu_ns == sampled->visited_cpu_ns))
        return;
    bool is_asleep = sampler_tick_look_at(tick, thread, cpu_ns, true) == TICK_LOOK_WRITTEN;
    sampled->run = tick->run;
    sampled->visited_cpu_ns = is_asleep ? cpu_ns : 0;
}

bool sampler_tick_look(struct sampler_tick *tick)
{
    bool has_run = cpu_activity_since_last(&tick->activity) || tick->is_first;
    if (!has_run)
        return false;
    tick->is_first = false;
    tick->requested_ticks = clock_ticks();
    if (tick->records_event_delay)
        event_delays_read(sampler_tick_access(tick));
    if (!sampler_tick_write_head(tick))
        return true;
    uint32_t count = thread_registry_slot_count();
    for (uint32_t slot = 0; tick->samples_stacks && slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (sampler_tick_samples(thread))
            look_at_thread(tick, thread);
    }
    sampler_tick_prepare_chunks(tick);
    return true;
}
