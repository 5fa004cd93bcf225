/* What this process tells the census (buffer/census_ring.h) about other processes: the programs
 * that it runs, with any obstacle to profiling them, and how its children ended.
 *
 * Behind a filter of system calls only what takes no call is reported: that children were made,
 * which programs are run, and how children ended.
 *
 * Async-signal-safe, also between vfork and exec; preserves errno. Nothing is reported without a
 * profd. From another pid namespace than profd's, whose pids mean nothing to profd, only programs
 * that will not be profiled are told of (child-agent/census_message.h), and ends. */
#ifndef PROFD_AGENT_CENSUS_H
#define PROFD_AGENT_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/program_facts.h"
#include "profd_threads.h"

/* A program that is about to be run. */
struct census_program {
    bool is_told; /* false: not to be reported, since nobody listens or it cannot be read */
    unsigned obstacle;
    uint64_t judged_ns; /* a time before the program can have begun, whenever it is reported */
    const char *path;   /* borrowed; behind a filter it may be no address */
};

/* The first filter of system calls is about to be set. */
void census_prepare_for_filter(void);

/* Judges the program at PATH, which this process or a child is about to run with ENVIRONMENT. SEEN
 * is what program_look_at() found out about its file (NULL: it could not be read). LACKS_AGENT says
 * that the agent is out of its reach (child-agent/guest/preload.h), as it is for every program
 * behind a filter. */
void census_judge(struct census_program *program, const char *path,
                  const struct program_facts *seen, char *const *environment, bool lacks_agent);

/* Judges the program at PATH where nobody may look at it: if it does not say hello, at least its
 * name is known. */
void census_judge_unlooked(struct census_program *program, const char *path);

/* Report that PROCESS runs or is about to run PROGRAM, whose path can be read, or that it could not
 * run it. They report only programs whose is_told is set. */
void census_report_exec(const struct census_program *program, struct profd_process_id process);
void census_report_failed(const struct census_program *program, struct profd_process_id process);

/* Reports that this process exists and is dormant (child-agent/dormancy.h), for the session of
 * GENERATION, which may have begun after the process. Returns false if it must be reported in
 * another way, because nobody listens or much of the ring is unread. */
bool census_report_present(uint32_t generation);

/* Reports that this process is no longer dormant and has not been able to say hello yet. */
void census_report_woken(uint32_t generation);

/* Reports that this process, which is dormant, is about to end, and what its clock shows: whoever
 * waits for it may have no agent. Nothing behind a filter, or if much of the ring is unread. */
void census_report_leaving(void);

/* Reports that this process wants another perf event than the one that profd lends it
 * (buffer/event_loan.h). */
void census_report_wish(void);

/* Returns whether anybody receives these reports. */
bool census_has_listener(void);

/* Reports, in a child that was forked behind a filter, that it exists. Nothing without a filter. */
void census_report_forked(void);

/* Reports the same of PROCESS, a copy of this one, in its parent. BEFORE_NS is the time before it
 * was made (clock_monotonic_without_call_ns()), since its end may be reported sooner. */
void census_report_copied(struct profd_process_id process, uint64_t before_ns);

/* How a child ended, … */
struct census_end {
    struct profd_process_id process;
    int wait_status;
    uint64_t cpu_ns; /* … what its clock showed before it was reaped (buffer/process_clock.h), … */
    uint64_t identity; /* … and what census_identity_of() said by then; 0: nobody asked */
};

/* Returns what profd needs to know to tell PROCESS, a child that has not been reaped, from others;
 * 0 if that is its number. */
uint64_t census_identity_of(struct profd_process_id process);

/* Reports that a child was waited for. A child of vfork that found no program to run is not
 * reported. */
void census_report_ended(const struct census_end *end);

/* Returns what the CPU clock of this process showed when it executed its current program, if an
 * earlier program reported that; otherwise PROCESS_CLOCK_UNKNOWN. *IS_AWAITED: it also said that
 * whoever waits for this process has an agent. */
uint64_t census_clock_at_exec_ns(bool *is_awaited);

#endif
