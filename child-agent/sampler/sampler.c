#include "child-agent/sampler/sampler.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/guest/own_thread.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/process_title.h"
#include "child-agent/sampler/after_sampling.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampler_tick.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/unwinding/process_unwinder.h"
#include "ipc/messages.h"

enum {
    /* A paused sampler, and the clock calibration, need no more than this. */
    SAMPLER_CLOCK_UPDATE_NS = 100 * 1000 * 1000,
    SAMPLER_LATENESS_TICKS = 16,
    SAMPLER_QUIET_TICKS = 50,
    SAMPLER_QUIET_STRIDE = 8,
    SAMPLER_LONGEST_STRIDE_NS = 20 * 1000 * 1000,
    /* Between looks where threads sleep, when their own clocks sample them. */
    SAMPLER_LOOK_INTERVAL_NS = 50 * 1000 * 1000,
};

static struct {
    pthread_t thread;
    _Atomic bool is_running;
    bool needs_thread;
    uint64_t chores_due_ns; /* without a thread of ours */
    bool looks;             /* instead of sampling, which the threads' own clocks do */
    _Atomic uint64_t interval_ns;
    struct chunk_manager *manager; /* borrowed */
    struct sampler_tick *_Atomic tick;
    struct named_mutex lock; /* held while ticking */
    _Atomic bool is_paused;
    _Atomic uint32_t stop_word; /* futex: 1 ends the thread */
} sampler = { .lock = NAMED_MUTEX_INITIALIZER(SAMPLER) };

static __thread bool is_locked_for_fork; /* several threads may fork at once */

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

/* What was counted so far, for whoever reads the arena next. The lock is held, maybe by a thread of
 * the program, whose signal handlers may count as well. */
static void record_last_counters(struct sampler_tick *tick)
{
    sigset_t all, mask;
    if (atomic_load(&sampler.is_paused))
        return;
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &mask);
    sampler_tick_record_last_counters(tick);
    (void)real_pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* What a tick and a look record beside the samples. */
static void record_beside(struct sampler_tick *tick, bool has_run, struct sampler_tick_times *times)
{
    times->counters = clock_ticks();
    process_title_follow();
    sampler_tick_record_counters(tick, has_run);
    times->rest = clock_ticks();
    sampler_tick_spy(tick, has_run);
    sampler_tick_note_overhead(tick, times);
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
        record_beside(tick, has_run, &times);
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
    uint64_t most_ns = atomic_load_explicit(&header->most_tick_lateness_ns, memory_order_relaxed);
    mean_ns += lateness_ns / SAMPLER_LATENESS_TICKS - mean_ns / SAMPLER_LATENESS_TICKS;
    atomic_store_explicit(&header->tick_lateness_ns, mean_ns, memory_order_relaxed);
    if (lateness_ns > most_ns)
        atomic_store_explicit(&header->most_tick_lateness_ns, lateness_ns, memory_order_relaxed);
}

static void update_clock(void)
{
    arena_update_clock(&core.arena);
    atomic_store(&core.arena.header->live_threads, thread_registry_live_count());
}

/* Ticks at the interval, until it is to end. */
static void sample_until_stopped(struct sampler_tick *tick)
{
    /* The first tick comes after an interval: at once, it would only find the agent's constructor.
     */
    uint64_t wake_ns = clock_monotonic_ns() + sampler.interval_ns;
    uint64_t clock_updated_ns = 0;
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
            update_clock();
            clock_updated_ns = now_ns;
        }
        wake_ns = next_wake(wake_ns, now_ns, stride * sampler.interval_ns);
        sleep_until(wake_ns);
    }
}

/* Returns whether anybody ran. */
static bool look_once(struct sampler_tick *tick)
{
    bool has_run = false;
    bool is_paused = atomic_load(&sampler.is_paused);
    struct sampler_tick_times times = { .locking = clock_ticks() };
    named_mutex_lock(&sampler.lock);
    times.threads = clock_ticks();
    if (!is_paused)
        has_run = sampler_tick_look(tick);
    if (has_run)
        record_beside(tick, has_run, &times);
    after_sampling_note_tick();
    named_mutex_unlock(&sampler.lock);
    after_sampling_call(is_paused ? PROFD_SAMPLING_PAUSED : PROFD_SAMPLING_COMPLETED);
    return has_run;
}

/* Until the next look. Threads that begin meanwhile get their events at once. */
static void wait_for_look(uint64_t duration_ns)
{
    uint64_t now_ns = clock_monotonic_ns();
    uint64_t due_ns = now_ns + duration_ns;
    (void)clock_sampling_keep_events();
    do {
        look_alarm_wait(due_ns - now_ns);
        now_ns = clock_monotonic_ns();
    } while (clock_sampling_keep_events() && now_ns < due_ns && !after_sampling_is_awaited() &&
             atomic_load(&sampler.stop_word) == 0);
}

/* Looks while anything runs, or somebody waits for that, until it is to end. */
static void look_until_stopped(struct sampler_tick *tick)
{
    wait_for_look(SAMPLER_LOOK_INTERVAL_NS);
    while (atomic_load(&sampler.stop_word) == 0) {
        bool has_run = look_once(tick);
        process_unwinder_read_mappings();
        chunk_manager_tell(sampler.manager);
        update_clock();
        if (!has_run && !after_sampling_is_awaited())
            look_alarm_rest();
        if (atomic_load(&sampler.stop_word) == 0)
            wait_for_look(sampler.interval_ns);
    }
}

static void look(struct sampler_tick *tick, bool has_own_descriptors)
{
    clock_sampling_begin_events(has_own_descriptors);
    look_until_stopped(tick);
    clock_sampling_end_events();
}

static void *sampler_main(void *argument)
{
    struct sampler_tick *tick = argument;
    own_thread_set_name("profd-sampler");
    bool has_own_descriptors = own_thread_leave_descriptors(false);
    sampler_tick_begin_in_sampler(tick, has_own_descriptors);
    if (sampler.looks)
        look(tick, has_own_descriptors);
    else
        sample_until_stopped(tick);
    after_sampling_close();
    return NULL;
}

/* What samples: the threads' own clocks, unless the session is to look at real time. */
static int choose_clock(const struct session_settings *settings)
{
    struct arena_header *header = core.arena.header;
    sampler.looks = settings->clock != SAMPLING_CLOCK_WALL;
    sampler.interval_ns = settings->interval_ns;
    if (!sampler.looks) {
        atomic_store(&header->sampling_clock, SAMPLING_CLOCK_WALL);
        atomic_store(&header->sampling_clock_refusal, CLOCK_REFUSAL_NONE);
        atomic_store(&header->sampling_interval_ns, settings->interval_ns);
        return 0;
    }
    if (sampler.interval_ns < SAMPLER_LOOK_INTERVAL_NS)
        sampler.interval_ns = SAMPLER_LOOK_INTERVAL_NS;
    return clock_sampling_start(settings);
}

/* Whether SETTINGS ask for what the only thread of a program cannot do for itself. */
static bool needs_thread(const struct session_settings *settings)
{
    return sampling_clock_needs_thread(settings->clock) ||
           (settings->features & FEATURE_UNREGISTERED_THREADS);
}

int sampler_start(const struct session_settings *settings, struct chunk_manager *manager)
{
    struct sampler_tick *tick;
    int err = sampler_tick_create(settings, manager, &tick);
    if (err < 0)
        return err;
    sampler.manager = manager;
    sampler.needs_thread = needs_thread(settings);
    sampler.chores_due_ns = clock_monotonic_ns() + SAMPLER_LOOK_INTERVAL_NS;
    err = choose_clock(settings);
    if (err < 0) {
        sampler_tick_destroy(tick);
        return err;
    }
    atomic_store(&sampler.is_paused, settings->is_paused || settings->is_sampling_paused);
    atomic_store(&sampler.stop_word, 0);
    atomic_store(&sampler.tick, tick);
    thread_registry_set_sampler_running(!sampler.looks);
    return 0;
}

void sampler_go_on(bool are_threads_the_same)
{
    if (sampler.looks)
        clock_sampling_go_on();
    else if (are_threads_the_same)
        sampler_tick_go_on(atomic_load(&sampler.tick));
}

/* Without its thread a session has fewer looks, but is one. */
void sampler_start_thread(void)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick == NULL || sampler.is_running)
        return;
    after_sampling_open();
    clock_sampling_return_event();
    sampler.is_running = true; /* before it runs: chores are its affair from here on */
    session_begin_messages();
    if (own_thread_create(&sampler.thread, sampler_main, tick) == 0)
        return;
    after_sampling_close();
    sampler.is_running = false;
}

void sampler_follow_alone(void)
{
    if (atomic_load(&sampler.tick) != NULL && !sampler.is_running)
        clock_sampling_borrow_event();
}

bool sampler_has_thread(void)
{
    return sampler.is_running || sampler.needs_thread;
}

bool sampler_is_free(void)
{
    return named_mutex_is_free_in_handler(&sampler.lock);
}

/* In a room for its stack. */
static void do_chores(struct sample_room *room, void *argument)
{
    (void)room, (void)argument;
    if (!named_mutex_try_lock_in_handler(&sampler.lock))
        return;
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick != NULL) { /* else somebody ended the session, who took it under the lock */
        sampler_tick_record_alone(tick);
        process_unwinder_read_mappings();
        arena_update_clock(&core.arena);
    }
    named_mutex_unlock(&sampler.lock);
}

void sampler_do_chores(void)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (atomic_load(&sampler.tick) == NULL || sampler.is_running ||
        atomic_load(&sampler.is_paused) || now_ns < sampler.chores_due_ns)
        return;
    if (sample_room_work_in_handler(do_chores, NULL))
        sampler.chores_due_ns = now_ns + SAMPLER_LOOK_INTERVAL_NS;
}

void sampler_stop(void)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick == NULL)
        return;
    if (sampler.is_running) {
        atomic_store(&sampler.stop_word, 1);
        (void)syscall(SYS_futex, &sampler.stop_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        look_alarm_ring();
        (void)pthread_join(sampler.thread, NULL); /* fails only for a thread that is not ours */
        sampler.is_running = false;
    }
    sampler.needs_thread = false;
    clock_sampling_stop();
    named_mutex_lock(&sampler.lock);
    sampler_tick_collect(tick);
    record_last_counters(tick);
    atomic_store(&sampler.tick, NULL);
    named_mutex_unlock(&sampler.lock);
    thread_registry_set_sampler_running(false);
    sampler_tick_destroy(tick);
}

void sampler_set_paused(bool is_paused)
{
    atomic_store(&sampler.is_paused, is_paused);
    clock_sampling_set_paused(is_paused);
    thread_registry_visit(clock_sampling_follow);
    look_alarm_ring();
}

void sampler_set_interval(uint64_t interval_ns)
{
    if (atomic_load(&sampler.tick) == NULL)
        return;
    if (sampler.looks) {
        clock_sampling_set_interval(interval_ns);
        return;
    }
    atomic_store(&sampler.interval_ns, interval_ns);
    atomic_store(&core.arena.header->sampling_interval_ns, interval_ns);
}

void sampler_flush(void)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick == NULL)
        return;
    process_title_follow();
    named_mutex_lock(&sampler.lock);
    sampler_tick_collect(tick);
    thread_registry_visit(clock_sampling_tell_rest);
    record_last_counters(tick);
    arena_update_clock(&core.arena);
    named_mutex_unlock(&sampler.lock);
}

void sampler_flush_at_exit(void)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick == NULL || !session_is_active() || atomic_load(&core.is_filtered) ||
        !named_mutex_lock_soon(&sampler.lock))
        return;
    sampler_tick_collect(tick);
    thread_registry_visit_soon(clock_sampling_tell_rest);
    if (!sampler.is_running)
        sampler_tick_read_last_alone(tick);
    record_last_counters(tick);
    named_mutex_unlock(&sampler.lock);
}

void sampler_before_fork(void)
{
    is_locked_for_fork = named_mutex_lock_soon(&sampler.lock);
}

void sampler_after_fork_parent(void)
{
    if (is_locked_for_fork)
        named_mutex_unlock(&sampler.lock);
    is_locked_for_fork = false;
}

void sampler_unlock_in_child(void)
{
    named_mutex_reset(&sampler.lock);
}

void sampler_after_fork_child(void)
{
    atomic_store(&sampler.tick, NULL); /* unforked pages */
    sampler.is_running = false;
    is_locked_for_fork = false;
}
