#include "daemon/programs/program_life.h"

#include <stdbool.h>

#include "common/time_units.h"

const char *program_state_name(enum program_state state)
{
    static const char *const names[] = {
#define X(name, text) [PROGRAM_##name] = text,
        PROGRAM_STATES(X)
#undef X
    };
    return names[state];
}

void program_life_init(struct program_life *life, enum restart_policy policy)
{
    *life = (struct program_life){ .state = PROGRAM_WAITING, .policy = policy };
}

static enum program_action enter_state(struct program_life *life, enum program_state state,
                                       enum program_action action)
{
    life->state = state;
    return action;
}

static uint64_t next_wait_ms(const struct program_life *life, uint64_t now_ns)
{
    uint64_t ran_ms = now_ns > life->start_ns ? (now_ns - life->start_ns) / NS_PER_MS : 0;

    if (life->wait_ms == 0 || ran_ms >= PROGRAM_STEADY_MS)
        return PROGRAM_FIRST_WAIT_MS;
    return life->wait_ms * 2 < PROGRAM_LAST_WAIT_MS ? life->wait_ms * 2 : PROGRAM_LAST_WAIT_MS;
}

static enum program_action end_of_run(struct program_life *life, bool has_failed, uint64_t now_ns)
{
    bool again =
        life->policy == RESTART_ALWAYS || (life->policy == RESTART_ON_FAILURE && has_failed);

    if (!again)
        return enter_state(life, PROGRAM_OVER, PROGRAM_DO_END);
    life->wait_ms = next_wait_ms(life, now_ns);
    return enter_state(life, PROGRAM_WAITING, PROGRAM_DO_WAIT);
}

static enum program_action move_waiting(struct program_life *life, enum program_event event,
                                        uint64_t now_ns)
{
    if (event == PROGRAM_EVENT_STOP)
        return enter_state(life, PROGRAM_OVER, PROGRAM_DO_END);
    if (event != PROGRAM_EVENT_DUE)
        return PROGRAM_DO_NOTHING;
    life->start_ns = now_ns;
    life->runs++;
    return enter_state(life, PROGRAM_RUNNING, PROGRAM_DO_START);
}

static enum program_action move_running(struct program_life *life, enum program_event event,
                                        uint64_t now_ns)
{
    switch (event) {
    case PROGRAM_EVENT_SUCCEEDED:
    case PROGRAM_EVENT_FAILED:
        return end_of_run(life, event == PROGRAM_EVENT_FAILED, now_ns);
    case PROGRAM_EVENT_STOP:
        return enter_state(life, PROGRAM_STOPPING, PROGRAM_DO_SIGNAL);
    default:
        return PROGRAM_DO_NOTHING;
    }
}

static enum program_action move_stopping(struct program_life *life, enum program_event event)
{
    switch (event) {
    case PROGRAM_EVENT_SUCCEEDED:
    case PROGRAM_EVENT_FAILED:
        return enter_state(life, PROGRAM_OVER, PROGRAM_DO_END);
    case PROGRAM_EVENT_TIMEOUT:
        return life->state == PROGRAM_STOPPING ? enter_state(life, PROGRAM_KILLING, PROGRAM_DO_KILL)
                                               : enter_state(life, PROGRAM_OVER, PROGRAM_DO_END);
    default:
        return PROGRAM_DO_NOTHING;
    }
}

enum program_action program_life_move(struct program_life *life, enum program_event event,
                                      uint64_t now_ns)
{
    switch (life->state) {
    case PROGRAM_WAITING:
        return move_waiting(life, event, now_ns);
    case PROGRAM_RUNNING:
        return move_running(life, event, now_ns);
    case PROGRAM_STOPPING:
    case PROGRAM_KILLING:
        return move_stopping(life, event);
    case PROGRAM_OVER:
        break;
    }
    return PROGRAM_DO_NOTHING;
}
