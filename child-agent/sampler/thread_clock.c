#include "child-agent/sampler/thread_clock.h"

#include <errno.h>

#include "buffer/clock.h"

enum {
    INTERVALS_PER_TICK = 16,
    /* Of a timer that only watches an event, and at least so many intervals. */
    WATCHING_INTERVAL_NS = 50 * 1000 * 1000,
    WATCHED_INTERVALS = 4,
};

static char our_value; /* its address marks our timers' signals */

uint64_t thread_clock_tick_ns(void)
{
    struct timespec resolution;
    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &resolution); /* a clock that there is */
    return (uint64_t)resolution.tv_nsec;
}

uint64_t thread_clock_timer_interval_ns(uint64_t interval_ns, uint64_t tick_ns)
{
    uint64_t fine_ns = tick_ns / INTERVALS_PER_TICK;
    if (interval_ns > tick_ns || interval_ns < fine_ns)
        return interval_ns;
    return fine_ns;
}

static int make_timer(struct thread_clock *clock, struct profd_thread_id thread,
                      clockid_t cpu_clock, int signal_number)
{
    const struct held_timer_wish wish = { .clock = cpu_clock,
                                          .signal_number = signal_number,
                                          .thread = thread.number,
                                          .mark = &our_value };
    return held_timer_make(&clock->timer, &wish);
}

/* From here on intervals count anew. One thread at a time. */
static void set_base(struct thread_clock *clock, clockid_t cpu_clock, uint64_t interval_ns)
{
    atomic_fetch_add(&clock->settings, 1);
    atomic_store(&clock->interval_ns, interval_ns);
    atomic_store(&clock->base_ns, clock_read_ns(cpu_clock));
    atomic_fetch_add(&clock->settings, 1);
}

/* Readies a clock that does not run, with a timer that is not set. */
static int ready_clock(struct thread_clock *clock, struct profd_thread_id thread,
                       clockid_t cpu_clock, int signal_number, uint64_t interval_ns)
{
    int error = make_timer(clock, thread, cpu_clock, signal_number);
    if (error < 0)
        return error == -EINVAL ? -ESRCH : error;
    atomic_store(&clock->signal_number, signal_number);
    set_base(clock, cpu_clock, interval_ns);
    atomic_store(&clock->source, SOURCE_TIMER);
    atomic_store(&clock->had_event, false);
    return 0;
}

static int run_clock(struct thread_clock *clock)
{
    atomic_store(&clock->is_running, true);
    int error = held_timer_set(&clock->timer, clock->interval_ns);
    if (error < 0)
        thread_clock_stop(clock);
    return error;
}

int thread_clock_start(struct thread_clock *clock, struct profd_thread_id thread,
                       clockid_t cpu_clock, int signal_number, uint64_t interval_ns)
{
    if (atomic_load(&clock->is_running))
        return 0;
    int error = ready_clock(clock, thread, cpu_clock, signal_number, interval_ns);
    return error < 0 ? error : run_clock(clock);
}

/* The timer stays: there might be no other one. A signal of its that is under way counts at the new
 * interval, which is a tick at most. */
int thread_clock_change_interval(struct thread_clock *clock, clockid_t cpu_clock,
                                 uint64_t interval_ns)
{
    if (!atomic_load(&clock->is_running))
        return 0;
    set_base(clock, cpu_clock, interval_ns);
    atomic_store(&clock->source, SOURCE_TIMER);
    atomic_store(&clock->had_event, false);
    return run_clock(clock);
}

static uint64_t watching_interval_ns(const struct thread_clock *clock)
{
    uint64_t interval_ns = clock->interval_ns * WATCHED_INTERVALS;
    return interval_ns > WATCHING_INTERVAL_NS ? interval_ns : WATCHING_INTERVAL_NS;
}

/* The interval that the timer has with SOURCE. */
static uint64_t interval_of_source(const struct thread_clock *clock, enum clock_source source)
{
    return source == SOURCE_TIMER ? clock->interval_ns : watching_interval_ns(clock);
}

/* The old timer goes first: it may be the last that the user may have. */
int thread_clock_change_signal(struct thread_clock *clock, struct profd_thread_id thread,
                               clockid_t cpu_clock, int signal_number)
{
    if (!atomic_load(&clock->is_running) || atomic_load(&clock->signal_number) == signal_number)
        return 0;
    held_timer_delete(&clock->timer);
    atomic_store(&clock->signal_number, signal_number);
    int error = make_timer(clock, thread, cpu_clock, signal_number);
    if (error == 0) {
        set_base(clock, cpu_clock, atomic_load(&clock->interval_ns));
        error =
            held_timer_set(&clock->timer, interval_of_source(clock, atomic_load(&clock->source)));
    }
    /* Whoever stopped it meanwhile found no timer. */
    if (error < 0 || !atomic_load(&clock->is_running))
        thread_clock_stop(clock);
    return error;
}

void thread_clock_count(struct thread_clock *clock, uint64_t from_ns, uint64_t cpu_ns)
{
    if (atomic_load(&clock->is_counting))
        return;
    atomic_store(&clock->told_ns, cpu_ns);
    atomic_store(&clock->placeless_ns, from_ns < cpu_ns ? cpu_ns - from_ns : 0);
    atomic_store(&clock->is_counting, true);
}

void thread_clock_end_count(struct thread_clock *clock)
{
    atomic_store(&clock->is_counting, false);
}

void thread_clock_forget_count(struct thread_clock *clock)
{
    thread_clock_end_count(clock);
    atomic_store(&clock->told_ns, 0);
    atomic_store(&clock->placeless_ns, 0);
}

bool thread_clock_has_counted(const struct thread_clock *clock)
{
    return atomic_load(&clock->told_ns) != 0;
}

void thread_clock_stop(struct thread_clock *clock)
{
    atomic_store(&clock->is_running, false);
    held_timer_delete(&clock->timer);
}

bool thread_clock_is_signal(const siginfo_t *info)
{
    return held_timer_is_marked(info, &our_value);
}

struct clock_step clock_source_step(enum clock_source source, bool is_event)
{
    if (is_event)
        return (struct clock_step){ SOURCE_EVENT, true, source == SOURCE_TIMER };
    switch (source) {
    case SOURCE_EVENT:
        return (struct clock_step){ SOURCE_SILENT_EVENT, false, false };
    case SOURCE_SILENT_EVENT:
        return (struct clock_step){ SOURCE_TIMER, true, true };
    case SOURCE_TIMER:
    default:
        return (struct clock_step){ SOURCE_TIMER, true, false };
    }
}

/* Returns whether the signal asks for a sample. A timer that was deleted meanwhile needs no
 * setting. */
static bool follow_source(struct thread_clock *clock, bool is_event)
{
    enum clock_source before = atomic_load_explicit(&clock->source, memory_order_relaxed);
    struct clock_step step = clock_source_step(before, is_event);
    atomic_store_explicit(&clock->source, step.source, memory_order_relaxed);
    if (step.sets_timer)
        (void)held_timer_set(&clock->timer, interval_of_source(clock, step.source));
    return step.is_sample;
}

/* What the timer has counted since it was set. False when another thread is setting it anew. */
static bool read_count(struct thread_clock *clock, const siginfo_t *info, uint64_t *cpu_ns)
{
    uint32_t settings = atomic_load(&clock->settings);
    if (clock->counted_settings != settings)
        clock->intervals = 0;
    clock->counted_settings = settings;
    clock->intervals += 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
    *cpu_ns = atomic_load(&clock->base_ns) + clock->intervals * atomic_load(&clock->interval_ns);
    return settings % 2 == 0 && atomic_load(&clock->settings) == settings;
}

bool thread_clock_read_signal(struct thread_clock *clock, const siginfo_t *info, uint64_t *cpu_ns)
{
    if (!atomic_load_explicit(&clock->is_running, memory_order_acquire) ||
        !held_timer_sent(&clock->timer, info) || !follow_source(clock, false))
        return false;
    if (!atomic_load_explicit(&clock->had_event, memory_order_relaxed))
        return read_count(clock, info, cpu_ns);
    *cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    return true;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t clock_event_share_ns(uint64_t delta_ns, uint64_t interval_ns, struct event_bank *bank)
{
    /* Several events are one signal where signals were blocked, or the kernel was at work. */
    uint64_t events = delta_ns >= 2 * interval_ns ? delta_ns / interval_ns : 1;
    uint64_t max_ns = events * interval_ns + bank->credit_ns;
    uint64_t share_ns = min_u64(delta_ns + bank->aside_ns, max_ns);
    bank->credit_ns = min_u64(max_ns - share_ns, interval_ns);
    bank->aside_ns = min_u64(delta_ns + bank->aside_ns - share_ns, interval_ns);
    return share_ns;
}

/* Lets the next sample stand for what it is to, and no place for the rest. Another thread may be
 * telling what is placeless: what is shared out is taken from there first. */
static void share_out_time(struct thread_clock *clock, uint64_t interval_ns, uint64_t cpu_ns)
{
    uint64_t placeless_ns = atomic_exchange(&clock->placeless_ns, 0);
    uint64_t delta_ns = thread_clock_take_unreported(clock, cpu_ns);
    clock->bank.aside_ns = min_u64(clock->bank.aside_ns, placeless_ns);
    uint64_t share_ns = clock_event_share_ns(delta_ns, interval_ns, &clock->bank);
    atomic_fetch_add(&clock->placeless_ns, placeless_ns + delta_ns - share_ns);
    atomic_fetch_sub(&clock->told_ns, share_ns);
}

bool thread_clock_read_event(struct thread_clock *clock, uint64_t interval_ns, uint64_t *cpu_ns)
{
    if (!atomic_load_explicit(&clock->is_running, memory_order_acquire))
        return false;
    bool is_first = atomic_load(&clock->source) == SOURCE_TIMER;
    atomic_store_explicit(&clock->had_event, true, memory_order_relaxed);
    (void)follow_source(clock, true);
    *cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!is_first)
        share_out_time(clock, interval_ns, *cpu_ns);
    return true;
}

uint64_t thread_clock_take_unreported(struct thread_clock *clock, uint64_t cpu_ns)
{
    uint64_t told_ns = atomic_load(&clock->told_ns);
    do {
        if (cpu_ns <= told_ns)
            return 0;
    } while (!atomic_compare_exchange_weak(&clock->told_ns, &told_ns, cpu_ns));
    return cpu_ns - told_ns;
}

uint64_t thread_clock_take_rest(struct thread_clock *clock, uint64_t cpu_ns)
{
    return thread_clock_take_unreported(clock, cpu_ns) + atomic_exchange(&clock->placeless_ns, 0);
}

void thread_clock_put_back(struct thread_clock *clock, uint64_t rest_ns)
{
    atomic_fetch_add(&clock->placeless_ns, rest_ns);
}

uint64_t thread_clock_take_placeless(struct thread_clock *clock, uint64_t least_ns)
{
    if (atomic_load_explicit(&clock->placeless_ns, memory_order_relaxed) < least_ns)
        return 0;
    return atomic_exchange(&clock->placeless_ns, 0);
}

void thread_clock_after_fork_child(struct thread_clock *clock)
{
    atomic_store(&clock->is_running, false);
    held_timer_after_fork_child(&clock->timer);
    thread_clock_forget_count(clock);
}
