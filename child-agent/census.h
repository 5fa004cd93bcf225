/* What this process tells the census (buffer/census_ring.h) about others: programs that it runs,
 * with what keeps them from being profiled if anything does, and how its children ended.
 *
 * Async-signal-safe, also between vfork and exec; errno stays as it is. Nothing is told without a
 * profd, nor from another pid namespace than profd's, whose pids mean nothing to it. */
#ifndef PROFD_AGENT_CENSUS_H
#define PROFD_AGENT_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/program_facts.h"
#include "profd_threads.h"

/* A program that is about to be run. */
struct census_program {
    bool is_told; /* what cannot be read is not */
    unsigned obstacle;
    uint64_t judged_ns; /* before it can have begun, whenever it is told */
    const char *path;   /* borrowed */
};

/* Judges the program at PATH, of whose file SEEN has what program_look_at() found (NULL: it could
 * not be read), with ENVIRONMENT, which this process or a child will run, where LACKS_AGENT tells
 * that the agent is out of reach (child-agent/guest/preload.h). */
void census_judge(struct census_program *program, const char *path,
                  const struct program_facts *seen, char *const *environment, bool lacks_agent);

/* PROCESS runs PROGRAM now, or will in a moment; or could not. Told only when it is to be. */
void census_report_exec(const struct census_program *program, struct profd_process_id process);
void census_report_failed(const struct census_program *program, struct profd_process_id process);

/* This process is there and dormant (child-agent/dormancy.h), for the session of GENERATION, which
 * may have begun after the process. False when it is to be told in another way: nobody listens, or
 * much is unread. */
bool census_report_present(uint32_t generation);

/* It is no longer dormant, and could not say hello so far. */
void census_report_woken(uint32_t generation);

/* It wants another perf event than profd lends it (buffer/event_loan.h). */
void census_report_wish(void);

/* Whether anybody is told at all. */
bool census_has_listener(void);

/* PROCESS was waited for; CPU_NS is what its clock said before (buffer/process_clock.h). Nothing is
 * told of a child of vfork that found no program to run. */
void census_report_ended(struct profd_process_id process, int wait_status, uint64_t cpu_ns);

/* What the clock of this process had said when it became the program that it is, if it was another
 * one before, and that one told; PROCESS_CLOCK_UNKNOWN. */
uint64_t census_clock_at_exec_ns(void);

#endif
