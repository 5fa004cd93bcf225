#include "child-agent/sampler/sampler.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
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
#include "child-agent/sampler/looker.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampler_inside.h"
#include "child-agent/sampler/sampler_tick.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/unwinding/process_unwinder.h"
#include "child-agent/upcalls.h"
#include "ipc/messages.h"

struct sampler sampler = { .lock = NAMED_MUTEX_INITIALIZER(SAMPLER) };

static __thread bool is_locked_for_fork; /* several threads may fork at once */

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

void sampler_record_beside(struct sampler_tick *tick, bool has_run,
                           struct sampler_tick_times *times)
{
    times->counters = clock_ticks();
    process_title_follow();
    sampler_tick_record_counters(tick, has_run);
    times->rest = clock_ticks();
    sampler_tick_spy(tick, has_run);
    sampler_tick_note_overhead(tick, times);
}

void sampler_update_clock(void)
{
    arena_update_clock(&core.arena);
    atomic_store(&core.arena.header->live_threads, thread_registry_live_count());
}

/* How often the sampler wakes up. */
static void choose_interval(const struct session_settings *settings)
{
    sampler.looks = settings->clock != SAMPLING_CLOCK_WALL;
    sampler.interval_ns = settings->interval_ns;
    if (sampler.looks && sampler.interval_ns < SAMPLER_LOOK_INTERVAL_NS)
        sampler.interval_ns = SAMPLER_LOOK_INTERVAL_NS;
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
    int error = sampler_tick_create(settings, manager, &tick);
    if (error < 0)
        return error;
    sampler.manager = manager;
    sampler.needs_thread = needs_thread(settings);
    sampler.chores_due_ns = clock_monotonic_ns() + SAMPLER_LOOK_INTERVAL_NS;
    choose_interval(settings);
    clock_sampling_start(settings);
    atomic_store(&sampler.is_paused, settings->is_paused || settings->is_sampling_paused);
    atomic_store(&sampler.stop_word, 0);
    atomic_store(&sampler.tick, tick);
    thread_registry_set_sampler_running(!sampler.looks);
    return 0;
}

void sampler_resume(bool are_threads_the_same)
{
    clock_sampling_resume();
    if (!sampler.looks && are_threads_the_same)
        sampler_tick_resume(atomic_load(&sampler.tick));
}

/* Whether there is a thread that will look. */
static bool find_looking_thread(void)
{
    sampler.has_own_thread = !atomic_load(&sampler.leaves_looks) &&
                             own_thread_create(&sampler.thread, sampler_thread_look, NULL) == 0;
    return sampler.has_own_thread || atomic_load(&sampler.has_agent_thread);
}

static bool start_looks(void)
{
    static uint32_t last_looks;
    if (!find_looking_thread())
        return false;
    last_looks = last_looks == UINT32_MAX ? 1 : last_looks + 1;
    atomic_store(&sampler.looks_on, last_looks);
    look_alarm_wake();
    return true;
}

static bool start_ticks(struct sampler_tick *tick)
{
    sampler.has_own_thread = own_thread_create(&sampler.thread, sampler_thread_sample, tick) == 0;
    return sampler.has_own_thread;
}

/* The lock is held: the session may end meanwhile, and other threads may begin. Without its thread
 * a session has fewer looks, but is one. */
static void start_thread(struct sampler_tick *tick)
{
    clock_sampling_return_event();
    clock_sampling_prepare_threads();
    sampler.is_running = true; /* before it runs: chores are its affair from here on */
    upcall_begin_messages();
    sampler.is_running = sampler.looks ? start_looks() : start_ticks(tick);
    clock_sampling_note_thread(sampler.is_running);
    if (sampler.is_running)
        after_sampling_open();
}

void sampler_start_thread(void)
{
    if (atomic_load(&sampler.tick) == NULL || sampler.is_running)
        return;
    named_mutex_lock(&sampler.lock);
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick != NULL && !sampler.is_running && !sampler.is_ending)
        start_thread(tick);
    named_mutex_unlock(&sampler.lock);
}

void sampler_note_agent_thread(bool is_there)
{
    atomic_store(&sampler.leaves_looks, true);
    atomic_store(&sampler.has_agent_thread, is_there);
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

bool sampler_lacks_thread(void)
{
    return atomic_load(&sampler.tick) != NULL && !atomic_load(&sampler.is_running);
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

void sampler_run_maintenance(void)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (atomic_load(&sampler.tick) == NULL || sampler.is_running ||
        atomic_load(&sampler.is_paused) || now_ns < sampler.chores_due_ns)
        return;
    if (sample_room_work_in_handler(do_chores, NULL))
        sampler.chores_due_ns = now_ns + SAMPLER_LOOK_INTERVAL_NS;
}

/* From here on nobody starts the thread, and nobody looks or waits for that. Returns whether there
 * is one to end: the agent's goes on. */
static bool begin_end(void)
{
    named_mutex_lock(&sampler.lock);
    sampler.is_ending = true;
    bool has_own_thread = sampler.is_running && sampler.has_own_thread;
    atomic_store(&sampler.looks_on, 0);
    after_sampling_close();
    named_mutex_unlock(&sampler.lock);
    return has_own_thread;
}

static void end_own_thread(void)
{
    atomic_store(&sampler.stop_word, 1);
    (void)syscall(SYS_futex, &sampler.stop_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    if (sampler.looks)
        look_alarm_wake();
    (void)pthread_join(sampler.thread, NULL); /* fails only for a thread that is not ours */
}

void sampler_stop(void)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick == NULL)
        return;
    if (begin_end())
        end_own_thread();
    else if (sampler.is_running)
        look_alarm_wake(); /* what the agent's thread keeps for looks it closes */
    sampler.is_running = false;
    sampler.needs_thread = false;
    clock_sampling_stop();
    named_mutex_lock(&sampler.lock);
    sampler_tick_collect(tick);
    record_last_counters(tick);
    atomic_store(&sampler.tick, NULL);
    sampler.is_ending = false;
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
    clock_sampling_set_interval(interval_ns);
    if (!sampler.looks)
        atomic_store(&sampler.interval_ns, interval_ns);
}

void sampler_flush(void)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick == NULL)
        return;
    process_title_follow();
    named_mutex_lock(&sampler.lock);
    sampler_tick_collect(tick);
    thread_registry_visit(clock_sampling_record_rest);
    record_last_counters(tick);
    arena_update_clock(&core.arena);
    named_mutex_unlock(&sampler.lock);
}

void sampler_flush_at_exit(void)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    if (tick == NULL || atomic_load(&core.is_filtered) || !named_mutex_lock_polling(&sampler.lock))
        return;
    sampler_tick_collect(tick);
    thread_registry_try_visit(clock_sampling_record_rest);
    if (!sampler.is_running)
        sampler_tick_read_last_alone(tick);
    record_last_counters(tick);
    named_mutex_unlock(&sampler.lock);
}

void sampler_before_fork(void)
{
    is_locked_for_fork = named_mutex_lock_polling(&sampler.lock);
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
    sampler.is_running = sampler.is_ending = false;
    sampler.leaves_looks = sampler.has_agent_thread = false;
    atomic_store(&sampler.looks_on, 0);
    looker_after_fork_child();
    is_locked_for_fork = false;
}
