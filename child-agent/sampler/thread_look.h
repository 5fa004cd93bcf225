/* Looks at a thread from outside: whether it sleeps in the kernel, and where, without a signal.
 *
 * The kernel reports the stack pointer and the program counter. The
 * stack and the labels are copied by calls that cannot fault. Other registers are not known, so a
 * stack ends where the caller cannot be found without them. */
#ifndef PROFD_AGENT_THREAD_LOOK_H
#define PROFD_AGENT_THREAD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/sampler/look_files.h"
#include "child-agent/threads/thread_registration.h"
#include "child-agent/unwinding/snapshot.h"

/* Where a thread sleeps. */
struct sleeping_place {
    uint64_t stack_pointer, program_counter;
};

enum thread_look {
    THREAD_LOOK_SLEEPS,
    THREAD_LOOK_RUNS,   /* or waits for a processor */
    THREAD_LOOK_NOTHING /* the kernel does not say */
};

/* Parses the contents of /proc/PID/task/TID/syscall. *OUT is set only for a thread that sleeps.
 * Pure. */
enum thread_look thread_look_parse(const char *text, size_t bytes, struct sleeping_place *out);

/* Finds out whether THREAD sleeps, and where. Opens a descriptor: for agent threads only. FILES are
 * the caller's. */
enum thread_look thread_look(struct look_files *files, struct profd_thread_id thread,
                             struct sleeping_place *out);

/* Copies the stack and the labels of THREAD, which sleeps at PLACE. If it wakes up meanwhile, the
 * copy may be of no moment at all: then its CPU clock has moved. */
void thread_look_copy(const struct thread_registration *thread, const struct sleeping_place *place,
                      struct snapshot_copy *copy);

#endif
