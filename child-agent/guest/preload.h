/* LD_PRELOAD of a program that is about to be run, without libraries of ours that it would not bear
 * (common/program_sanitizer.h), or could not load: in another root or mount namespace, or for
 * another user, they may be out of reach, and the loader would say so on the program's standard
 * error.
 *
 * What is out of reach is looked for at each exec, since a process does not learn of all that moves
 * its root: what another one mounts or pivots is its own root too. A process that has set a filter
 * of system calls runs programs without the agent. Only absolute paths are looked at: where the
 * loader searches for others is its own affair.
 *
 * Async-signal-safe, also between vfork and exec: nothing allocates, errno stays as it is. */
#ifndef PROFD_AGENT_PRELOAD_H
#define PROFD_AGENT_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

enum {
    /* That a rewritten environment may take of a stack: 32,000 variables. A larger one stays as it
     * is, and so do libraries with longer paths. */
    PRELOAD_MOST_BYTES = 256 * 1024,
    PRELOAD_PATH_BYTES = 1024,
};

struct preload_look {
    size_t rewritten_bytes; /* space for preload_rewrite(); 0: nothing is to be rewritten */
    bool lacks_agent;       /* libprofd.so is named, and nowhere within reach */
};

/* Looks for the libraries of ours that ENVIRONMENT (NULL: empty) names, as the calling process sees
 * them: one system call for each. Where the program refuses them (IS_REFUSED), all are as if out of
 * reach. */
struct preload_look preload_look(char *const *environment, bool is_refused);

/* ENVIRONMENT without those that are out of reach: an array in SPACE, which has the bytes that the
 * look asked for and is aligned as pointers are. Other strings than LD_PRELOAD are borrowed. That
 * one has what is left, and goes when nothing is. */
char *const *preload_rewrite(char *const *environment, bool is_refused, void *space);

#endif
