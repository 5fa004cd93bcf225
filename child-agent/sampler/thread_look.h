/* Looks at a thread from outside: whether it sleeps in the kernel, and where, without a signal.
 *
 * The kernel reports the number of the system call, the stack pointer and the program counter. The
 * stack is copied by calls that cannot fault. Other registers are not known, so a stack ends where
 * the caller cannot be found without them. */
#ifndef PROFD_AGENT_THREAD_LOOK_H
#define PROFD_AGENT_THREAD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/threads/thread_registration.h"
#include "child-agent/unwinding/snapshot.h"

/* Where a thread sleeps. */
struct sleeping_place {
    uint64_t stack_pointer, program_counter;
};

/* Parses the contents of /proc/PID/task/TID/syscall. Returns false if the thread is running or the
 * text is malformed. Pure. */
bool thread_look_parse(const char *text, size_t bytes, struct sleeping_place *out);

/* Finds out where THREAD sleeps. Returns false if it does not sleep, or the kernel does not say.
 * Opens a descriptor: for agent threads only. */
bool thread_look(struct profd_thread_id thread, struct sleeping_place *out);

/* Copies the stack of THREAD, which sleeps at PLACE. */
void thread_look_copy(const struct thread_registration *thread, const struct sleeping_place *place,
                      struct snapshot_copy *copy);

#endif
