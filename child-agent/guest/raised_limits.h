/* Limits on addresses and data (RLIMIT_AS, RLIMIT_DATA) that the program sets for itself. What the
 * agent has mapped counts as well: a program that allows itself a little more than it needs could
 * allocate nothing any more. So the kernel gets the program's limit and what the agent has, and the
 * program reads back what it set. */
#ifndef PROFD_AGENT_RAISED_LIMITS_H
#define PROFD_AGENT_RAISED_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Returns whether a limit on RESOURCE is raised for the agent. */
bool raised_limits_have(int resource);

/* Returns whether it has been: otherwise the kernel has what the program sees. */
bool raised_limits_have_raised(int resource);

/* Returns what the kernel gets for WANTED of the program, while it has KERNEL, which the program
 * sees as SEEN, and the agent takes OWN_BYTES. Pure. */
struct rlimit raised_limits_choose(const struct rlimit *wanted, const struct rlimit *kernel,
                                   const struct rlimit *seen, uint64_t own_bytes);

/* prlimit() of the calling process as the program sees it, for a RESOURCE that is raised. WANTED
 * and OLD may be NULL. Returns 0, or -1 with errno. Any thread. */
int raised_limits_change(int resource, const struct rlimit *wanted, struct rlimit *old);

/* Called before the calling process becomes another program, which is to have the soft limits that
 * the program set, and after that failed. In between, nothing can be mapped if the agent has mapped
 * more than the program left free. Also between vfork and exec. Preserve errno. */
void raised_limits_lower(void);
void raised_limits_raise_again(void);

/* Called in a forked child, which has the same limits. */
void raised_limits_after_fork_child(void);

#endif
