/* What the environment tells the agent. The constructor reads it once. */
#ifndef PROFD_AGENT_ENVIRONMENT_H
#define PROFD_AGENT_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "buffer/arena.h"
#include "common/sampling_clock.h"

enum {
    ENVIRONMENT_FILTERS_BYTES = 4096,
    ENVIRONMENT_PATTERN_BYTES = 1024,
    ENVIRONMENT_PROBLEM_BYTES = 256,
};

/* Name, what its value is called, and what it does. Used for the help text. */
#define ENVIRONMENT_VARIABLES(X)                                                                   \
    X("PROFD_HELP", "1", "print this and exit")                                                    \
    X("PROFD_DISABLE", "1", "leave this process alone")                                            \
    X("PROFD_STARTUP", "1", "record from the start, before main")                                  \
    X("PROFD_STARTUP_INTERVAL", "TIME",                                                            \
      "time between samples, 10us to 60s (default 1ms; a bare number counts ms)")                  \
    X("PROFD_STARTUP_CLOCK", "CLOCK",                                                              \
      "what takes samples: auto (default), cpu, perf or wall; see profctl(1)")                     \
    X("PROFD_STARTUP_FEATURES", "LIST", "what to record, comma-separated:")                        \
    X("PROFD_STARTUP_FILTERS", "LIST",                                                             \
      "only threads whose name holds one of LIST, comma-separated (default all)")                  \
    X("PROFD_STARTUP_LIMIT", "SIZE", "memory for what is recorded: K, M, G (default 64M)")         \
    X("PROFD_STARTUP_ALLOC_INTERVAL", "SIZE",                                                      \
      "nativeallocs: bytes from one sampled allocation to the next (default 512K)")                \
    X("PROFD_SHUTDOWN", "FILE",                                                                    \
      "write the profile to FILE (.json) at exit; %p in it is the process id")                     \
    X("PROFD_SOCKET", "PATH", "where profd listens; if unset, PROFD_SHUTDOWN uses no profd")       \
    X("PROFD_LABELS", "LIST",                                                                      \
      "what exports say of this process, as service=web,version=1.4; see profctl-export(1)")       \
    X("PROFD_SIGNAL", "NAME", "signal that takes samples (default URG)")

struct environment {
    bool is_disabled;                   /* PROFD_DISABLE=1, a setuid program, or valgrind */
    bool wants_help;                    /* PROFD_HELP */
    bool starts_up;                     /* PROFD_STARTUP=1: record from the constructor on */
    int signal_number;                  /* PROFD_SIGNAL; 0: the agent chooses */
    uint32_t generation;                /* PROFD_STARTUP_GENERATION, set by profd */
    uint64_t interval_ns;               /* PROFD_STARTUP_INTERVAL */
    enum sampling_clock clock;          /* PROFD_STARTUP_CLOCK, default AUTO */
    uint64_t features;                  /* PROFD_STARTUP_FEATURES */
    uint64_t limit_bytes;               /* PROFD_STARTUP_LIMIT */
    uint64_t allocation_interval_bytes; /* PROFD_STARTUP_ALLOC_INTERVAL; 0: not set */
    uint32_t labels_left_out;           /* how many labels did not fit */
    bool is_default_socket;             /* nobody specified the socket; its owner must be checked */
    /* "" if it is not known, or if the profile is written without profd. */
    char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    /* A sentence for the user about the first value that makes no sense; "": none. If there is one,
     * the process neither starts recording by itself nor writes a profile; otherwise it behaves as
     * if that value were not set. */
    char problem[ENVIRONMENT_PROBLEM_BYTES];
    /* What is hardly ever used comes last: its pages need not be there. */
    char labels[ARENA_LABELS_BYTES];                  /* PROFD_LABELS; "": none */
    char shutdown_pattern[ENVIRONMENT_PATTERN_BYTES]; /* PROFD_SHUTDOWN; "": none */
    char filters[ENVIRONMENT_FILTERS_BYTES];          /* PROFD_STARTUP_FILTERS */
};

/* Fills *OUT, which must be zeroed. An empty variable counts as not set. */
void environment_read(struct environment *out);

/* Writes the list of ENVIRONMENT_VARIABLES to descriptor FD. */
void environment_print_help(int fd);

#endif
