/* Fills a snapshot inside the signal handler. Machine-specific: snapshot_capture_x86_64.c.
 *
 * Everything here runs in the handler of the sampled thread, and never locks, allocates or waits.
 */
#ifndef PROFD_AGENT_SNAPSHOT_CAPTURE_H
#define PROFD_AGENT_SNAPSHOT_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "child-agent/threads/thread_registration.h"
#include "child-agent/unwinding/snapshot.h"

/* Fills SNAPSHOT with registers, live stack and labels of the calling thread SELF, interrupted at
 * CONTEXT (a ucontext_t). A stack that is not the thread's own is copied into FOREIGN, which has
 * room for SNAPSHOT_FOREIGN_STACK_BYTES, by the kernel; NULL: nothing is shown of it. May change
 * errno. */
void snapshot_look(struct snapshot *snapshot, const struct thread_registration *self,
                   const void *context, uint8_t *foreign);

/* The same for SNAPSHOT's own registers, which somebody has filled in. */
void snapshot_show(struct snapshot *snapshot, const struct thread_registration *self,
                   uint8_t *foreign);

/* The same as snapshot_look() with a copy of the live stack, for whoever unwinds it later. */
void snapshot_capture(struct snapshot_copy *copy, const struct thread_registration *self,
                      const void *context);

/* Copies COUNT bytes of the calling thread's own stack. Not memcpy: the program may have replaced
 * that, and sanitizers would look at its dead frames. */
void snapshot_copy_bytes(uint8_t *out, uint64_t address, size_t count);

/* Copies from a stack at ADDRESS whose size nobody knows: the kernel reads it, and stops where
 * nothing is mapped. OUT has room for SNAPSHOT_FOREIGN_STACK_BYTES. Returns how many bytes came.
 * May change errno. */
size_t snapshot_copy_foreign_stack(uint8_t *out, uint64_t address);

/* When the signal cut a system call short with EINTR that the kernel does not restart by itself
 * (poll, epoll_wait, nanosleep …), makes the program go back into it, so that it never sees our
 * signal. A relative timeout begins anew: it was set less than one sampling interval ago, since
 * sleeping threads are not signalled. */
void snapshot_restart_system_call(void *context);

#endif
