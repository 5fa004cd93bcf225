/* What a process behind a filter of system calls knows of itself without asking the kernel, for
 * what it tells the census (child-agent/census.h). It is asked before the filter is set, and
 * carried on by forks. A copy of the process that no step of fork.h went along with tells nothing:
 * it may be in another pid namespace, or take itself for its parent.
 *
 * Any thread, but for census_unasked_begin(); async-signal-safe. */
#ifndef PROFD_AGENT_CENSUS_UNASKED_H
#define PROFD_AGENT_CENSUS_UNASKED_H

#include <stdbool.h>
#include <sys/types.h>

#include "profd_threads.h"

struct census_ring;

/* The first filter is about to be set, and RING (NULL: none) is where the process reports. */
void census_unasked_begin(struct census_ring *ring);

/* Before a fork. */
void census_unasked_before_fork(void);

/* Takes the calling process, a child that was forked behind the filter, for the one that tells.
 * Returns it; its number is 0 if it cannot be known. */
struct profd_process_id census_unasked_begin_child(void);

/* A filter forbids calls that telling of programs takes: asking which process calls, and looking
 * whether the path is one. There are no more of them. */
void census_unasked_forgo_calls(void);

/* Returns whether such calls may be made and are of use. */
bool census_unasked_may_call(void);

/* The process, or its children, may be in another pid namespace from now on: nothing is told any
 * more, also where there is no filter yet. */
void census_unasked_end(void);

/* Returns whether the process, or its children, may be. */
bool census_unasked_has_ended(void);

/* They are not, after all. */
void census_unasked_undo_end(void);

/* Returns where to report, or NULL if nobody is to be told. */
struct census_ring *census_unasked_ring(void);

/* Returns the process that calls and is about to run PATH, which may be no address. It may be a
 * child that shares this one's memory. Its number is 0 if nothing can be told of it. */
struct profd_process_id census_unasked_caller_of(const char *path);

/* Returns the parent of PROCESS, which is this process or was made by it. */
pid_t census_unasked_parent_of(pid_t process);

#endif
