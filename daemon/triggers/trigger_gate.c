#include "daemon/triggers/trigger_gate.h"

#include <stdio.h>
#include <string.h>

#include "common/time_units.h"

static struct trigger_cause *find_cause(struct trigger_gate *gate, const char *name)
{
    for (size_t i = 0; i < TRIGGER_CAUSES; i++) {
        if (strcmp(gate->causes[i].name, name) == 0)
            return &gate->causes[i];
    }
    return NULL;
}

/* A free place, or that of the cause that has been quiet for longest. NULL: all of them wait. */
static struct trigger_cause *make_place(struct trigger_gate *gate)
{
    struct trigger_cause *quietest = NULL;

    for (size_t i = 0; i < TRIGGER_CAUSES; i++) {
        struct trigger_cause *cause = &gate->causes[i];
        if (!cause->is_waiting && (quietest == NULL || cause->last_ns < quietest->last_ns))
            quietest = cause;
    }
    return quietest;
}

bool trigger_gate_happened(struct trigger_gate *gate, const char *name, pid_t pid, uint64_t count,
                           bool is_asked, uint64_t now_ns)
{
    struct trigger_cause *cause = find_cause(gate, name);

    if (cause == NULL) {
        cause = make_place(gate);
        if (cause == NULL) {
            gate->lost += count;
            return false;
        }
        *cause = (struct trigger_cause){ .is_waiting = false };
        snprintf(cause->name, sizeof(cause->name), "%s", name);
    }
    gate->joined += cause->is_waiting ? count : count - 1;
    if (!cause->is_waiting) {
        cause->is_waiting = true;
        cause->is_asked = false;
        cause->count = 0;
        cause->pid = pid;
        cause->since_ns = now_ns;
    }
    cause->is_asked |= is_asked;
    cause->count += count;
    return true;
}

static uint64_t due_ns(const struct trigger_cause *cause)
{
    if (!cause->is_waiting)
        return TRIGGER_NEVER;
    return cause->is_asked || cause->last_ns == 0 ? cause->since_ns
                                                  : cause->last_ns + TRIGGER_GAP_NS;
}

bool trigger_gate_begin(struct trigger_gate *gate, uint64_t now_ns)
{
    struct trigger_cause *next = NULL;

    if (trigger_gate_is_busy(gate))
        return false;
    for (size_t i = 0; i < TRIGGER_CAUSES; i++) {
        struct trigger_cause *cause = &gate->causes[i];
        if (due_ns(cause) <= now_ns && (next == NULL || cause->since_ns < next->since_ns))
            next = cause;
    }
    if (next == NULL)
        return false;
    next->is_waiting = false;
    next->last_ns = now_ns;
    gate->current = *next;
    return true;
}

uint64_t trigger_gate_reach_ms(const struct trigger_cause *cause, uint64_t last_ms, uint64_t now_ns)
{
    uint64_t waited_ns = now_ns > cause->since_ns ? now_ns - cause->since_ns : 0;
    uint64_t reach_ms = last_ms + (waited_ns + NS_PER_MS - 1) / NS_PER_MS;

    return last_ms == 0 || reach_ms > now_ns / NS_PER_MS ? 0 : reach_ms;
}

void trigger_gate_end(struct trigger_gate *gate)
{
    gate->current.name[0] = '\0';
}

bool trigger_gate_awaits(const struct trigger_gate *gate, const char *name)
{
    for (size_t i = 0; i < TRIGGER_CAUSES; i++) {
        if (gate->causes[i].is_waiting && strcmp(gate->causes[i].name, name) == 0)
            return true;
    }
    return false;
}

bool trigger_gate_is_busy(const struct trigger_gate *gate)
{
    return gate->current.name[0] != '\0';
}

size_t trigger_gate_waiting(const struct trigger_gate *gate)
{
    size_t waiting = 0;

    for (size_t i = 0; i < TRIGGER_CAUSES; i++)
        waiting += gate->causes[i].is_waiting;
    return waiting;
}

uint64_t trigger_gate_due_ns(const struct trigger_gate *gate)
{
    uint64_t earliest = TRIGGER_NEVER;

    for (size_t i = 0; i < TRIGGER_CAUSES; i++) {
        uint64_t due = due_ns(&gate->causes[i]);
        earliest = due < earliest ? due : earliest;
    }
    return earliest;
}

void trigger_gate_hurry(struct trigger_gate *gate)
{
    for (size_t i = 0; i < TRIGGER_CAUSES; i++)
        gate->causes[i].is_asked |= gate->causes[i].is_waiting;
}
