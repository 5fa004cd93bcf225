/* Core state: what the agent keeps for the life of the process, session or not.
 *
 * One per process, made by the constructor, remade by a forked child. Follows CorePS. The session's
 * own state is in child-agent/session.h. */
#ifndef PROFD_AGENT_CORE_H
#define PROFD_AGENT_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/arena.h"
#include "buffer/dictionary.h"

/* How this program image came to be. */
enum core_origin { CORE_BY_EXEC = 0, CORE_BY_FORK = 1 };

struct core {
    bool is_enabled; /* false: the agent does nothing (PROFD_DISABLE, setuid, no memory) */
    /* A filter of system calls may be in place: the program said that it gains no privileges, which
     * comes before one. Sampling by the threads' clocks is over. */
    _Atomic bool is_filtered;
    _Atomic bool has_filter; /* it set one: no call is made that the program does not make */
    enum core_origin origin;
    uint64_t start_ns; /* of this image, CLOCK_MONOTONIC */
    struct arena arena;
    struct dictionary dictionary;
};

extern struct core core;

enum { CORE_LOCAL_BYTES = 4096 };

/* What leads to memory that only this process has. A child made past the C library (clone, _Fork),
 * where no step of fork.h runs, finds zeros here, by the kernel: it runs on and records nothing. */
struct core_local {
    bool is_followed; /* the process is one that the agent was begun in, or followed into by fork */
    bool has_locks;   /* the agent's: not those that a thread of its parent may have had */
    bool has_arena;   /* arena and dictionary are there, with their first records */
    bool is_dormant;  /* see child-agent/dormancy.h */
    bool is_unheard;  /* likewise */
    bool is_resting;  /* see child-agent/resting.h */
    bool is_alone;    /* profd knows it, and there is no thread of ours so far */
    bool lacks_thread; /* the session has more for a thread of ours than a handler can do */
    _Atomic bool awaits_filter; /* its first thread to set one has begun to prepare for it */
    /* What the process' first thread had used when it became this program by exec, as another one.
     */
    uint64_t cpu_before_exec_ns;
    /* The session that may be recorded into, by the process' own count: 0 none. Changed by
     * session.c, by way of a barrier on every thread, so that plain loads are enough. */
    volatile uint32_t recording_generation;
} __attribute__((aligned(CORE_LOCAL_BYTES)));

extern struct core_local core_local;

/* Numbers the images of a fork chain: a site id of another epoch must be registered anew. */
extern uint32_t core_epoch;

/* The calling thread is in fork(), between the agent's first handler and its last. Handlers of the
 * program may run there: in the child, where the arena is gone, and where the agent could not be
 * the first (libprofd.a) also while its locks are this thread's. What they do is not recorded. */
extern __thread bool core_is_forking
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* First initialization, from the constructor with the program's arguments, after that of the clock.
 * What the process is called is kept from here on, without a look into /proc: what a process
 * touched there makes its exit dearer. */
void core_initialize(int argument_count, char **arguments);

/* In a forked child: drops what is the parent's, and starts as an image of its own, without arena.
 */
void core_reset_after_fork(void);

/* The executable's path as it was given to exec, made absolute. "" when unknown. */
const char *core_executable(void);

/* The command line, NUL-separated, and its length. */
const char *core_command_line(size_t *bytes);

#endif
