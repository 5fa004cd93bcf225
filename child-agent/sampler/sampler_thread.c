#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/sampler/after_sampling.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/looker.h"
#include "child-agent/sampler/sampler_inside.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/unwinding/process_unwinder.h"
#include "ipc/messages.h"

enum {
    /* A paused sampler, and the clock calibration, need no more than this. */
    SAMPLER_CLOCK_UPDATE_NS = 100 * 1000 * 1000,
    SAMPLER_LATENESS_TICKS = 16,
    SAMPLER_QUIET_TICKS = 50,
    SAMPLER_QUIET_STRIDE = 8,
    SAMPLER_LONGEST_STRIDE_NS = 20 * 1000 * 1000,
    SAMPLER_DRIFT_TICKS = 64, /* after so many, ticks have drifted by an interval */
};

/* Sleeps until WAKE_NS or until the thread is to end. */
static void sleep_until(uint64_t wake_ns)
{
    const struct timespec wake = clock_timespec(wake_ns);
    (void)syscall(SYS_futex, &sampler.stop_word, FUTEX_WAIT_BITSET_PRIVATE, 0, &wake, NULL,
                  FUTEX_BITSET_MATCH_ANY);
}

/* The next time on the schedule after NOW. Ticks that are past are skipped, not made up for. */
static uint64_t next_wake(uint64_t scheduled_ns, uint64_t now_ns, uint64_t interval_ns)
{
    uint64_t next_ns = scheduled_ns + interval_ns;
    if (next_ns > now_ns)
        return next_ns;
    uint64_t skipped = (now_ns - next_ns) / interval_ns + 1;
    arena_count_drop(&core.arena, DROP_SKIPPED_TICK, skipped);
    return next_ns + skipped * interval_ns;
}

/* Returns whether anybody ran. */
static bool tick_once(struct sampler_tick *tick, uint32_t stride)
{
    bool has_run = true;
    struct sampler_tick_times times = { .locking = clock_ticks() };
    bool is_paused = atomic_load(&sampler.is_paused);
    named_mutex_lock(&sampler.lock);
    times.threads = clock_ticks();
    sampler_tick_collect(tick);
    if (!is_paused) {
        has_run = sampler_tick_request(tick, stride);
        sampler_record_beside(tick, has_run, &times);
        after_sampling_note_tick();
    }
    named_mutex_unlock(&sampler.lock);
    after_sampling_call(is_paused ? PROFD_SAMPLING_PAUSED : PROFD_SAMPLING_COMPLETED);
    return has_run;
}

/* How many intervals to sleep after QUIET_TICKS in a row at which nobody had run. Waking up is what
 * a sampler costs most; a process that does nothing is looked at less often, and told so in full.
 */
static uint32_t stride_after(uint32_t quiet_ticks, uint64_t interval_ns)
{
    if (quiet_ticks < SAMPLER_QUIET_TICKS || interval_ns >= SAMPLER_LONGEST_STRIDE_NS)
        return 1;
    uint64_t stride = SAMPLER_LONGEST_STRIDE_NS / interval_ns;
    return stride < SAMPLER_QUIET_STRIDE ? (uint32_t)stride : SAMPLER_QUIET_STRIDE;
}

/* For those who look at the arena from outside. */
static void note_lateness(uint64_t due_ns, uint64_t done_ns)
{
    struct arena_header *header = core.arena.header;
    uint64_t lateness_ns = done_ns > due_ns ? done_ns - due_ns : 0;
    uint64_t mean_ns = atomic_load_explicit(&header->tick_lateness_ns, memory_order_relaxed);
    uint64_t max_ns = atomic_load_explicit(&header->most_tick_lateness_ns, memory_order_relaxed);
    mean_ns += lateness_ns / SAMPLER_LATENESS_TICKS - mean_ns / SAMPLER_LATENESS_TICKS;
    atomic_store_explicit(&header->tick_lateness_ns, mean_ns, memory_order_relaxed);
    if (lateness_ns > max_ns)
        atomic_store_explicit(&header->most_tick_lateness_ns, lateness_ns, memory_order_relaxed);
}

/* At a fixed distance from the kernel's ticks, which interrupt threads by their clocks, those would
 * find threads in the handler of our signal always, or never. So ours drift, to and fro. */
static uint64_t drifting_interval_ns(uint64_t interval_ns, uint64_t tick)
{
    uint64_t drift_ns = interval_ns / SAMPLER_DRIFT_TICKS;
    bool is_slow = tick / SAMPLER_DRIFT_TICKS % 2 == 0;
    return is_slow ? interval_ns + drift_ns : interval_ns - drift_ns;
}

/* Ticks at the interval, until it is to end. */
static void sample_until_stopped(struct sampler_tick *tick)
{
    /* The first tick comes after an interval: at once, it would only find the agent's constructor.
     */
    uint64_t wake_ns = clock_monotonic_ns() + sampler.interval_ns;
    uint64_t clock_updated_ns = 0, ticks = 0;
    uint32_t stride = 1, quiet_ticks = 0;
    (void)syscall(SYS_prctl, PR_SET_TIMERSLACK, 1, 0, 0, 0); /* else ticks are only less regular */
    sleep_until(wake_ns);
    while (atomic_load(&sampler.stop_word) == 0) {
        quiet_ticks = tick_once(tick, stride) ? 0 : quiet_ticks + 1;
        stride = stride_after(quiet_ticks, sampler.interval_ns);
        uint64_t now_ns = clock_monotonic_ns();
        note_lateness(wake_ns, now_ns);
        process_unwinder_read_mappings();
        if (now_ns - clock_updated_ns > SAMPLER_CLOCK_UPDATE_NS) {
            sampler_update_clock();
            clock_sampling_retry_refused();
            clock_updated_ns = now_ns;
        }
        wake_ns =
            next_wake(wake_ns, now_ns, stride * drifting_interval_ns(sampler.interval_ns, ticks++));
        sleep_until(wake_ns);
    }
}

void *sampler_thread_sample(void *argument)
{
    struct sampler_tick *tick = argument;
    own_thread_set_name("profd-sampler");
    bool has_own_descriptors = own_thread_leave_descriptors(false);
    sampler_tick_begin_in_sampler(tick, has_own_descriptors);
    if (has_own_descriptors)
        sampler_tick_keep_files(tick);
    sample_until_stopped(tick);
    after_sampling_call(PROFD_SAMPLING_STOPPED);
    return NULL;
}

void *sampler_thread_look(void *unused)
{
    own_thread_set_name("profd-sampler");
    sampling_signal_only_wakes();
    looker_begin(own_thread_leave_descriptors(false));
    while (atomic_load(&sampler.stop_word) == 0) {
        looker_turn();
        /* No descriptors: nothing can go wrong. */
        (void)look_alarm_wait(NULL, 0, looker_due_ns());
    }
    looker_end();
    return unused;
}
