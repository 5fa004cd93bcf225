/* Finds out what a filter of system calls (seccomp(2)) allows, by reading its program.
 *
 * The filter is run on a call that is only partly known. Where a decision depends on an unknown
 * value, both branches are followed. Pure; any thread. */
#ifndef PROFD_AGENT_FILTER_PROGRAM_H
#define PROFD_AGENT_FILTER_PROGRAM_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

enum { FILTERED_CALL_ARGUMENTS = 6 };

/* A call: its number, and the arguments that are known. */
struct filtered_call {
    int number;
    unsigned known; /* one bit for each argument, starting with the lowest */
    uint64_t arguments[FILTERED_CALL_ARGUMENTS];
};

/* Returns whether PROGRAM allows CALL for all values of the unknown arguments. Also returns false
 * for a program that the kernel would refuse, and for one that takes too many steps to decide. */
bool filter_program_allows(const struct sock_fprog *program, const struct filtered_call *call);

/* Returns whether PROGRAM refuses CALL, in whatever way, for all values of the unknown arguments.
 * Returns false in the same cases. */
bool filter_program_refuses(const struct sock_fprog *program, const struct filtered_call *call);

#endif
