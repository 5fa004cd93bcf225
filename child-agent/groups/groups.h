/* Whether anybody asks for performance groups: the program itself, or clients of profd, whose word
 * stands in the ledger. Nothing is measured otherwise. */
#ifndef PROFD_AGENT_GROUPS_H
#define PROFD_AGENT_GROUPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/lease_ledger.h"
#include "child-agent/agent_lease.h"
#include "profd.h"

/* Any thread, also in signal handlers. */
static inline bool groups_are_wanted(void)
{
    return __builtin_expect((profd_recording & PROFD_RECORDING_GROUPS) != 0, 0);
}

/* For the functions here: what is asked for (enum group_needs), and how often it was something
 * after nothing, or whether CPU time is measured changed. */
extern _Atomic uint32_t groups_needs;
extern _Atomic uint32_t groups_began;

/* Whether those that hold a single unit are, too. */
static inline bool groups_are_detailed(void)
{
    return (atomic_load_explicit(&groups_needs, memory_order_relaxed) & GROUP_NEED_UNITS) != 0;
}

/* Whether blocked time is measured. */
static inline bool groups_see_blocked(void)
{
    return (atomic_load_explicit(&groups_needs, memory_order_relaxed) & GROUP_NEED_BLOCKED) != 0;
}

/* Counts the times that monitoring began, from 1. */
static inline uint32_t groups_monitoring(void)
{
    return atomic_load_explicit(&groups_began, memory_order_relaxed);
}

/* Who asks from inside of the process. */
enum groups_asker { GROUPS_FOR_PROGRAM, GROUPS_FOR_SESSION, GROUPS_FOR_OBSERVERS, GROUPS_ASKERS };

/* From now on WHO asks for NEEDS (enum group_needs), and for nothing else. Any thread. */
void groups_ask(enum groups_asker who, uint32_t needs);

/* Makes what is needed to measure, if it is not there. Not in signal handlers. 0; -ENOTSUP: there
 * is no measuring here; or what program_call_begin() and process_arena_make() return. */
int groups_prepare(void);

/* What is asked for from inside of the process: without a session, too. */
uint32_t groups_needs_from_inside(void);

/* Whether the session shows groups. */
bool groups_are_recorded(void);

/* Looks at what is asked for now, and follows. Any thread, also in signal handlers. */
void groups_follow(void);

/* What the ledger said when this was last followed. */
extern _Atomic uint32_t groups_followed;

/* The same, but only if the ledger has changed: called where the program waits, and at ticks. */
static inline void groups_look(void)
{
    if (__builtin_expect(agent_lease_group_needs() != groups_followed, 0))
        groups_follow();
}

#endif
