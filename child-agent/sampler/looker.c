#include "child-agent/sampler/looker.h"

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/sampler/after_sampling.h"
#include "child-agent/sampler/clock_sampling.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/sampler_inside.h"
#include "child-agent/unwinding/process_unwinder.h"

static struct {
    bool has_own_descriptors;
    enum look_alarm_state state;
    uint32_t looks;  /* which ones it is at; 0: none */
    uint64_t due_ns; /* the next look; NEVER unless the state is SET */
} looker = { .due_ns = LOOK_ALARM_NEVER };

static void enter_state(enum look_alarm_state state, uint64_t due_ns)
{
    looker.state = state;
    looker.due_ns = due_ns;
    look_alarm_set(state);
}

static void wait_for_look(uint64_t duration_ns)
{
    enter_state(LOOK_ALARM_SET, clock_monotonic_ns() + duration_ns);
}

/* The alarm is set first: what changes from here on rings it. */
static void begin_looks(uint32_t looks)
{
    looker.looks = looks;
    wait_for_look(SAMPLER_LOOK_INTERVAL_NS);
    sampler_tick_begin_in_sampler(atomic_load(&sampler.tick), looker.has_own_descriptors);
    clock_sampling_begin_events(looker.has_own_descriptors);
    (void)clock_sampling_update_events();
}

static void end_looks(void)
{
    clock_sampling_end_events();
    looker.looks = 0;
    enter_state(LOOK_ALARM_OFF, LOOK_ALARM_NEVER);
}

/* Returns whether looks ended. */
static bool follow_sampler(void)
{
    uint32_t looks = atomic_load(&sampler.looks_on);
    bool has_ended = looker.looks != 0 && looker.looks != looks;
    if (has_ended)
        end_looks();
    if (looks != looker.looks)
        begin_looks(looks);
    return has_ended;
}

/* What was rung for changed clocks is done with their events. A sample ends a rest, and is looked
 * at where its thread has come to an interval later. */
static void answer_alarm(bool is_rung)
{
    bool has_changes = clock_sampling_update_events();
    if (!is_rung)
        return;
    if (after_sampling_is_awaited() || (looker.state == LOOK_ALARM_SET && !has_changes))
        wait_for_look(0);
    else if (looker.state == LOOK_ALARM_RESTING)
        wait_for_look(atomic_load(&sampler.interval_ns));
}

/* What a look finds, and what goes with it. */
struct look {
    bool is_made;
    bool is_paused;
    bool has_run; /* anybody */
};

static struct look look_once(uint64_t locking_ticks)
{
    struct sampler_tick *tick = atomic_load(&sampler.tick);
    struct look look = { .is_made = true, .is_paused = atomic_load(&sampler.is_paused) };
    struct sampler_tick_times times = { .locking = locking_ticks, .threads = clock_ticks() };
    if (!look.is_paused)
        look.has_run = sampler_tick_look(tick);
    if (look.has_run)
        sampler_record_beside(tick, true, &times);
    after_sampling_note_tick();
    process_unwinder_read_mappings();
    chunk_manager_report(sampler.manager);
    sampler_update_clock();
    clock_sampling_retry_refused();
    return look;
}

static bool is_due(void)
{
    return looker.due_ns != LOOK_ALARM_NEVER && clock_monotonic_ns() >= looker.due_ns;
}

static struct look look_if_due(bool is_rung, uint64_t locking_ticks)
{
    if (looker.looks == 0)
        return (struct look){ 0 };
    answer_alarm(is_rung);
    return is_due() ? look_once(locking_ticks) : (struct look){ 0 };
}

/* Looks go on while anything runs, or somebody waits for them. */
static void finish_look(const struct look *look)
{
    after_sampling_call(look->is_paused ? PROFD_SAMPLING_PAUSED : PROFD_SAMPLING_COMPLETED);
    if (look->has_run || after_sampling_is_awaited())
        wait_for_look(atomic_load(&sampler.interval_ns));
    else
        enter_state(LOOK_ALARM_RESTING, LOOK_ALARM_NEVER);
}

void looker_begin(bool has_own_descriptors)
{
    looker.has_own_descriptors = has_own_descriptors;
}

uint64_t looker_due_ns(void)
{
    return looker.looks == atomic_load(&sampler.looks_on) ? looker.due_ns : 0;
}

void looker_turn(void)
{
    bool is_rung = look_alarm_take();
    if (looker.looks == atomic_load(&sampler.looks_on) && !is_rung && !is_due() &&
        !after_sampling_has_left())
        return;
    uint64_t locking_ticks = clock_ticks();
    named_mutex_lock(&sampler.lock);
    bool has_ended = follow_sampler();
    const struct look look = look_if_due(is_rung, locking_ticks);
    named_mutex_unlock(&sampler.lock);
    if (has_ended)
        after_sampling_call(PROFD_SAMPLING_STOPPED);
    after_sampling_call_left();
    if (look.is_made)
        finish_look(&look);
}

void looker_end(void)
{
    named_mutex_lock(&sampler.lock);
    if (atomic_load(&sampler.looks_on) != 0)
        after_sampling_close();
    if (looker.looks != 0)
        end_looks();
    named_mutex_unlock(&sampler.lock);
    look_alarm_reset();
    after_sampling_call_left();
}

void looker_after_fork_child(void)
{
    look_alarm_reset();
    looker.looks = 0;
    enter_state(LOOK_ALARM_OFF, LOOK_ALARM_NEVER);
}
