/* Exec calls that processes reported in the census ring, kept until the program that was called is
 * met. That program itself knows only when its agent began, which is after the kernel has set it up
 * and its libraries are loaded; a program that runs for a millisecond spends most of its time
 * there.
 *
 * There is a fixed number of places: if two pids share one, the later call stays. One thread. */
#ifndef PROFD_DAEMON_EXEC_CALLS_H
#define PROFD_DAEMON_EXEC_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { EXEC_CALLS = 1024 };

struct exec_call {
    pid_t pid;        /* 0: none */
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;  /* used by the process until then, or CPU_TIME_UNKNOWN */
};

struct exec_calls {
    struct exec_call places[EXEC_CALLS];
};

/* Stores CALL, in place of what was known of its pid. */
void exec_calls_put(struct exec_calls *calls, const struct exec_call *call);

/* Removes the last call of PID and stores it in *OUT. Returns false if there is none. */
bool exec_calls_take(struct exec_calls *calls, pid_t pid, struct exec_call *out);

/* Returns the last call of PID, which stays stored; NULL: none. Valid until the next change. */
const struct exec_call *exec_calls_find(const struct exec_calls *calls, pid_t pid);

/* Forgets the calls that were made before TIME_NS. */
void exec_calls_forget_before(struct exec_calls *calls, uint64_t time_ns);

#endif
