/* Removes from LD_PRELOAD of a program that is about to be run those of profd's libraries that it
 * would not tolerate (common/program_sanitizer.h) or could not load. In another root or mount
 * namespace, or for another user, they may be out of reach, and the loader would complain on the
 * program's standard error.
 *
 * Each exec checks what is out of reach, since a process does not learn about everything that moves
 * its root: what another process mounts or pivots changes its root, too. A process that has set a
 * filter of system calls runs programs without the agent. Only absolute paths are checked; the
 * loader decides where it searches for others.
 *
 * Async-signal-safe, also between vfork and exec: nothing allocates, and errno is preserved. */
#ifndef PROFD_AGENT_PRELOAD_H
#define PROFD_AGENT_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

enum {
    /* The most stack space that a rewritten environment may take: 32,000 variables. A larger one is
     * left as it is, and so are libraries with longer paths. */
    PRELOAD_MOST_BYTES = 256 * 1024,
    PRELOAD_PATH_BYTES = 1024,
};

struct preload_look {
    size_t rewritten_bytes; /* space that preload_rewrite() needs; 0: nothing to rewrite */
    bool lacks_agent;       /* libprofd.so is named, but is nowhere within reach */
};

/* Looks for those of profd's libraries that ENVIRONMENT (NULL: empty) names, as the calling process
 * sees them, with one system call for each. If the program refuses them (IS_REFUSED), all count as
 * out of reach. */
struct preload_look preload_look(char *const *environment, bool is_refused);

/* Returns ENVIRONMENT without the libraries that are out of reach: an array in SPACE, which has the
 * number of bytes that preload_look() returned and is aligned like pointers. All strings except
 * LD_PRELOAD are borrowed. LD_PRELOAD keeps the remaining libraries, and is removed if there are
 * none. */
char *const *preload_rewrite(char *const *environment, bool is_refused, void *space);

/* Takes profd's libraries out of this process' own environment, before its first filter of system
 * calls: system() and popen() run their shells past us. LD_PRELOAD stays, maybe empty. Does nothing
 * if LD_PRELOAD is very long. Not in children that share this process' memory. */
void preload_leave_environment(void);

#endif
