/* Core state: what the agent keeps for the life of the process, with or without a session.
 *
 * There is one per process. The constructor creates it, and a forked child recreates it. Modelled
 * on CorePS. The session's own state is in child-agent/session.h. */
#ifndef PROFD_AGENT_CORE_H
#define PROFD_AGENT_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/arena.h"
#include "buffer/dictionary.h"

/* How this program image was started. */
enum core_origin { CORE_BY_EXEC = 0, CORE_BY_FORK = 1 };

struct core {
    bool is_enabled; /* false: the agent does nothing (PROFD_DISABLE, setuid, no memory) */
    /* The program sets a filter of system calls, or has set one: sampling by the threads' clocks is
     * over. */
    _Atomic bool is_filtered;
    _Atomic bool has_filter; /* the program has set a filter: the agent makes no system call that
                              * the program does not make itself */
    _Atomic bool forbids_sessions; /* the filter, calls that sessions of the program take */
    enum core_origin origin;
    int32_t pid;       /* a child of vfork, which has this memory, has another */
    uint64_t start_ns; /* of this image, on CLOCK_MONOTONIC */
    struct arena arena;
    struct dictionary dictionary;
};

extern struct core core;

enum { CORE_LOCAL_BYTES = 4096 };

/* What leads to memory that only this process has. A child that is created past the C library (by
 * clone or _Fork), so that no step of fork.h runs, finds zeros here, by the kernel's doing. It
 * keeps running and records nothing. */
struct core_local {
    bool is_followed;  /* the agent was started in this process, or followed a fork into it */
    bool has_locks;    /* the agent's locks may be used: no thread of the parent can have left them
                        * locked */
    bool has_arena;    /* arena and dictionary exist, with their first records */
    bool is_dormant;   /* see child-agent/dormancy.h */
    bool is_unheard;   /* see child-agent/dormancy.h */
    bool is_resting;   /* see child-agent/resting.h */
    bool is_awaited;   /* whoever waits for the process has an agent, as the program before this one
                        * said, and tells of its end */
    bool is_alone;     /* profd knows the process, and it has no agent thread yet */
    bool lacks_thread; /* the session needs an agent thread for something that a handler cannot
                        * do */
    bool misses_threads;        /* those that it had gave way to the program (agent_presence.h) */
    _Atomic bool tells_unasked; /* see child-agent/census_unasked.h */
    _Atomic bool awaits_filter; /* the first thread that sets a filter has begun to prepare for
                                 * it */
    /* The CPU time that the process's first thread had used, running another program, when it
     * executed this one. */
    uint64_t cpu_before_exec_ns;
    /* The generation of the session that may be recorded into, as counted by the process; 0: none.
     * session.c changes it with a barrier on every thread, so plain loads suffice. */
    volatile uint32_t recording_generation;
} __attribute__((aligned(CORE_LOCAL_BYTES)));

extern struct core_local core_local;

/* The number of this image in a chain of forks. A site id of another epoch must be registered
 * again. */
extern uint32_t core_epoch;

/* The calling thread is in fork(), between the agent's first handler and its last. Handlers of the
 * program may run meanwhile: in the child, where the arena is gone, and, if the agent's handler
 * could not be the first (libprofd.a), also while this thread holds the agent's locks. What they do
 * is not recorded. */
extern __thread bool core_is_forking
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Initializes the core. Called by the constructor with the program's arguments, after the clock has
 * been initialized. The process's name is kept from now on without reading /proc: what a process
 * touches there makes its exit more expensive. */
void core_initialize(int argument_count, char **arguments);

/* Resets the core in a forked child: drops what is the parent's and starts as an image of its own,
 * without an arena. */
void core_reset_after_fork(void);

/* Returns the time on CLOCK_MONOTONIC; behind a filter 0, where asking for it takes a call.
 * Async-signal-safe. */
uint64_t core_now_or_unknown_ns(void);

/* Returns the executable's path as it was given to exec, made absolute; "" if unknown. */
const char *core_executable(void);

/* Returns the command line, NUL-separated, and its length in *BYTES. */
const char *core_command_line(size_t *bytes);

#endif
