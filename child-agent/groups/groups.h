/* Whether anybody requests performance groups: the program itself, or clients of profd, whose
 * requests are in the ledger. Otherwise nothing is measured. */
#ifndef PROFD_AGENT_GROUPS_H
#define PROFD_AGENT_GROUPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/lease_ledger.h"
#include "child-agent/agent_lease.h"
#include "profd.h"

/* Returns whether groups are requested. Any thread, also in signal handlers. */
static inline bool groups_are_wanted(void)
{
    return __builtin_expect((profd_recording & PROFD_RECORDING_GROUPS) != 0, 0);
}

/* For the functions in this file: what is requested (enum group_needs), and how often a request
 * came after none, or the measuring of CPU time was turned on or off. */
extern _Atomic uint32_t groups_needs;
extern _Atomic uint32_t groups_began;

/* Returns whether groups that contain a single unit are measured, too. */
static inline bool groups_are_detailed(void)
{
    return (atomic_load_explicit(&groups_needs, memory_order_relaxed) & GROUP_NEED_UNITS) != 0;
}

/* Returns whether blocked time is measured. */
static inline bool groups_see_blocked(void)
{
    return (atomic_load_explicit(&groups_needs, memory_order_relaxed) & GROUP_NEED_BLOCKED) != 0;
}

/* Returns how many times monitoring has begun. */
static inline uint32_t groups_monitoring(void)
{
    return atomic_load_explicit(&groups_began, memory_order_relaxed);
}

/* The parts of this process that can request groups. */
enum groups_asker { GROUPS_FOR_PROGRAM, GROUPS_FOR_SESSION, GROUPS_FOR_OBSERVERS, GROUPS_ASKERS };

/* Makes NEEDS (enum group_needs) all that WHO requests from now on. Any thread. */
void groups_ask(enum groups_asker who, uint32_t needs);

/* Creates what is needed to measure, if it does not exist. Returns 0, -ENOTSUP if nothing can be
 * measured here, or an error of program_call_begin() or process_arena_make(). Not in signal
 * handlers. */
int groups_prepare(void);

/* Returns what this process itself requests, also without a session. */
uint32_t groups_needs_from_inside(void);

/* Returns whether the session shows groups. */
bool groups_are_recorded(void);

/* Reads the current requests and follows them. Any thread, also in signal handlers. */
void groups_follow(void);

/* What the ledger requested when it was last followed. */
extern _Atomic uint32_t groups_followed;

/* Calls groups_follow() only if the ledger has changed. Used where the program waits, and at
 * ticks. */
static inline void groups_look(void)
{
    if (__builtin_expect(agent_lease_group_needs() != groups_followed, 0))
        groups_follow();
}

#endif
