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

/* A call may end what the thread measures, or not return: then the rest is told with the next. */
void stopwatch_notify_observers(void)
{
    struct stopwatch_thread *thread;
    while ((thread = stopwatch_own()) != NULL && group_observers_call_next(&thread->alerts))
        continue;
}

static void end_iteration(void)
{
    struct stopwatch_thread *thread = stopwatch_take();
    if (thread == NULL)
        return;
    stopwatch_note_awake(thread, STOPWATCH_FRAME);
    struct moment now = stopwatch_now(thread);
    stopwatch_cancel_above(thread, 0, &now);
    stopwatch_commit(thread, &now);
    stopwatch_give();
}

void stopwatch_end_iteration(void)
{
    end_iteration();
    stopwatch_notify_observers();
}

/* What an observer does is part of the next iteration, which has begun when it does not return. */
static void end_and_begin_iteration(void)
{
    end_iteration();
    stopwatch_begin_iteration();
    stopwatch_notify_observers();
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
    end_and_begin_iteration();
    struct stopwatch_thread *thread = stopwatch_own();
    if (thread != NULL)
        thread->may_wait_first = thread->is_in_iteration;
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
    end_and_begin_iteration();
}

/* --- Waiting for the next iteration --- */

/* Who says to be blocked waits for others, and not for the next iteration. */
static bool waits_first(const struct stopwatch_thread *thread)
{
    return thread->may_wait_first && thread->loop == STOPWATCH_TOLD_LOOP &&
           thread->is_in_iteration && thread->depth == 0 && thread->used_count == 0 &&
           thread->blocked_depth == 0 && stopwatch_is_current(thread);
}

bool stopwatch_begin_first_wait(void)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return false;
    uintptr_t frame = STOPWATCH_FRAME;
    stopwatch_note_awake(thread, frame);
    bool is_first = waits_first(thread);
    thread->may_wait_first = false;
    if (is_first) {
        thread->first_wait_ticks = clock_ticks();
        thread->first_wait_frame = frame;
        stopwatch_show_rest(group_registry_record(thread->top), thread->begun_ns);
    }
    stopwatch_give();
    return is_first;
}

void stopwatch_end_stale_first_wait(struct stopwatch_thread *thread)
{
    thread->first_wait_frame = 0;
    if (!thread->is_in_iteration || !stopwatch_is_current(thread))
        return;
    const struct moment now = { .ticks = clock_ticks() };
    thread->begun.ticks += now.ticks - thread->first_wait_ticks;
    stopwatch_show_iteration(thread, &now);
}

void stopwatch_end_first_wait(bool has_come)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return;
    if (thread->first_wait_frame != 0) {
        stopwatch_end_stale_first_wait(thread);
        thread->may_wait_first = !has_come;
    }
    stopwatch_give();
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

void stopwatch_unblock_to(struct stopwatch_thread *thread, unsigned depth)
{
    if (thread->blocked_depth > depth)
        thread->waiting_frame = 0;
    while (thread->blocked_depth > depth)
        end_blocked(thread);
}

void stopwatch_end_stale_wait(struct stopwatch_thread *thread)
{
    thread->waiting_frame = 0;
    end_blocked(thread);
}

/* Who is in a unit has measured before: nothing is made here, where handlers of signals come by. */
bool stopwatch_begin_wait(void)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return false;
    uintptr_t frame = STOPWATCH_FRAME;
    stopwatch_note_awake(thread, frame);
    bool is_blocked = thread->depth > 0 && thread->waiting_frame == 0 && groups_see_blocked() &&
                      stopwatch_is_current(thread);
    if (is_blocked) {
        begin_blocked(thread);
        thread->waiting_frame = frame;
    }
    stopwatch_give();
    return is_blocked;
}

void stopwatch_end_wait(void)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return;
    if (thread->waiting_frame != 0)
        stopwatch_end_stale_wait(thread);
    stopwatch_give();
}

void profd_blocked_begin(void)
{
    struct stopwatch_thread *thread = groups_are_wanted() ? stopwatch_take() : NULL;
    if (thread == NULL)
        return;
    stopwatch_note_awake(thread, STOPWATCH_FRAME);
    if (groups_see_blocked())
        begin_blocked(thread);
    stopwatch_give();
}

void profd_blocked_end(void)
{
    struct stopwatch_thread *thread = stopwatch_take_old();
    if (thread == NULL)
        return;
    stopwatch_note_awake(thread, STOPWATCH_FRAME);
    end_blocked(thread);
    stopwatch_give();
}
