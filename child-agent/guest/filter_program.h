/* What a filter of system calls (seccomp(2)) lets through, found out by reading its program.
 *
 * The filter is run on a call of which not all is known: where a decision depends on what is not,
 * both ways are followed. Pure; any thread. */
#ifndef PROFD_AGENT_FILTER_PROGRAM_H
#define PROFD_AGENT_FILTER_PROGRAM_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

enum { FILTERED_CALL_ARGUMENTS = 6 };

/* A call by its number, and the arguments that are known of it. */
struct filtered_call {
    int number;
    unsigned known; /* a bit for each argument, from the lowest */
    uint64_t arguments[FILTERED_CALL_ARGUMENTS];
};

/* Whether PROGRAM allows CALL whatever is not known of it. False also for a program that the kernel
 * would refuse, and for one that takes too many steps to tell. */
bool filter_program_allows(const struct sock_fprog *program, const struct filtered_call *call);

/* Whether PROGRAM refuses CALL, in whatever way, whatever is not known of it. Likewise. */
bool filter_program_refuses(const struct sock_fprog *program, const struct filtered_call *call);

#endif
