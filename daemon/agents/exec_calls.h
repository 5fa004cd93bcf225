/* The calls of exec that processes told of by the census ring, until the program that was called
 * for is met. That one knows no more than when its agent began, which is after the kernel has set
 * it up and its libraries are loaded: a program of a millisecond spends most of it there.
 *
 * A fixed number of places: of two pids with one place the later stays. One thread. */
#ifndef PROFD_DAEMON_EXEC_CALLS_H
#define PROFD_DAEMON_EXEC_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { EXEC_CALLS = 1024 };

struct exec_call {
    pid_t pid;        /* 0: none */
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;  /* that the process had used by then; CPU_TIME_UNKNOWN */
};

struct exec_calls {
    struct exec_call places[EXEC_CALLS];
};

/* CALL takes the place of what was known of its pid. */
void exec_calls_put(struct exec_calls *calls, const struct exec_call *call);

/* The last call of PID, which is known here no more, goes to *OUT. False: none. */
bool exec_calls_take(struct exec_calls *calls, pid_t pid, struct exec_call *out);

/* The last call of PID, which stays known here, and where it is; NULL: none. */
const struct exec_call *exec_calls_find(const struct exec_calls *calls, pid_t pid);

/* Forgets the calls that were made before TIME_NS. */
void exec_calls_forget_before(struct exec_calls *calls, uint64_t time_ns);

#endif
