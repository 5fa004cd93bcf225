#include "child-agent/groups/stopwatch_inside.h"

/* --- Iterations --- */

struct loop_sight *stopwatch_take_sight(void)
{
    struct stopwatch_thread *thread = stopwatch_take();
    if (thread == NULL)
        return NULL;
    struct loop_sight *sight = thread->depth == 0 ? &thread->sight : NULL;
    stopwatch_give();
    return sight;
}

bool stopwatch_note_loop(enum stopwatch_loop kind)
{
    struct stopwatch_thread *thread = stopwatch_take();
    if (thread == NULL)
        return false;
    if (kind > thread->loop)
        thread->loop = kind;
    bool is_best = thread->loop == kind;
    stopwatch_give();
    return is_best;
}

void stopwatch_begin_iteration(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? stopwatch_take() : NULL;
    if (thread == NULL)
        return;
    struct moment now = stopwatch_now_after_wait(thread);
    stopwatch_begin(thread, &now);
    stopwatch_give();
}

void stopwatch_end_iteration(void)
{
    struct stopwatch_thread *thread = stopwatch_take();
    if (thread == NULL)
        return;
    stopwatch_note_awake(thread);
    struct moment now = stopwatch_now(thread);
    stopwatch_cancel_above(thread, 0, &now);
    stopwatch_commit(thread, &now);
    stopwatch_give_and_tell(thread);
}

void stopwatch_rest(void)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return;
    if (thread->monitoring != 0 && !stopwatch_is_current(thread))
        stopwatch_drop_all(thread);
    stopwatch_give();
}

void profd_iteration_end(void)
{
    if (!groups_are_wanted()) {
        stopwatch_rest();
        return;
    }
    if (!stopwatch_note_loop(STOPWATCH_TOLD_LOOP))
        return;
    stopwatch_end_iteration();
    stopwatch_begin_iteration();
}

void profd_nested_loop_begin(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? stopwatch_take() : NULL;
    if (thread == NULL)
        return;
    struct moment now = stopwatch_now(thread);
    stopwatch_cancel_above(thread, 0, &now);
    stopwatch_give();
}

void profd_nested_loop_end(void)
{
}

/* --- Events of the program's own loop --- */

void stopwatch_begin_event(void)
{
    if (groups_are_wanted() && stopwatch_note_loop(STOPWATCH_TOLD_LOOP))
        stopwatch_begin_iteration();
}

void stopwatch_end_event(void)
{
    const struct stopwatch_thread *thread = stopwatch_own();
    if (thread == NULL || thread->loop != STOPWATCH_TOLD_LOOP || !thread->is_in_iteration)
        return;
    if (groups_are_wanted())
        stopwatch_end_iteration();
    else
        stopwatch_rest();
}

/* The wait is somewhere within the turn, so it is taken off as if it came first. */
static void take_off_wait(struct stopwatch_thread *thread, uint64_t idle_ns)
{
    uint64_t waited_ticks = cpu_meter_ticks(&thread->meter, idle_ns - thread->idle_ns);
    if (thread->is_in_iteration && waited_ticks < clock_ticks() - thread->begun.ticks)
        thread->begun.ticks += waited_ticks;
    thread->idle_ns = idle_ns;
}

void stopwatch_turn(uint64_t idle_ns)
{
    if (!groups_are_wanted() || !stopwatch_note_loop(STOPWATCH_TURNS))
        return;
    struct stopwatch_thread *thread = stopwatch_take();
    if (thread == NULL)
        return;
    take_off_wait(thread, idle_ns);
    stopwatch_give();
    stopwatch_end_iteration();
    stopwatch_begin_iteration();
}

/* --- The blocked clock --- */

static void begin_blocked(struct stopwatch_thread *thread)
{
    if (thread->blocked_depth++ == 0)
        thread->blocked_since_ticks = clock_ticks();
}

static void end_blocked(struct stopwatch_thread *thread)
{
    if (thread->blocked_depth == 0 || --thread->blocked_depth > 0)
        return;
    thread->blocked_ticks += clock_ticks() - thread->blocked_since_ticks;
    thread->blocked_since_ticks = 0;
}

void stopwatch_end_stale_wait(struct stopwatch_thread *thread)
{
    thread->is_waiting = false;
    end_blocked(thread);
}

bool stopwatch_begin_wait(void)
{
    struct stopwatch_thread *thread = stopwatch_take();
    if (thread == NULL)
        return false;
    stopwatch_note_awake(thread);
    bool is_in_unit = thread->depth > 0 && groups_see_blocked();
    if (is_in_unit)
        begin_blocked(thread);
    thread->is_waiting = is_in_unit;
    stopwatch_give();
    return is_in_unit;
}

void stopwatch_end_wait(void)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return;
    stopwatch_note_awake(thread);
    stopwatch_give();
}

void profd_blocked_begin(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? stopwatch_take() : NULL;
    if (thread == NULL)
        return;
    stopwatch_note_awake(thread);
    if (groups_see_blocked())
        begin_blocked(thread);
    stopwatch_give();
}

void profd_blocked_end(void)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return;
    stopwatch_note_awake(thread);
    end_blocked(thread);
    stopwatch_give();
}
