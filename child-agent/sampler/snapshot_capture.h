/* Fills a snapshot inside the signal handler. Machine-specific: snapshot_capture_x86_64.c.
 *
 * Everything here runs in the handler of the sampled thread, and never locks, allocates or
 * waits. */
#ifndef PROFD_AGENT_SNAPSHOT_CAPTURE_H
#define PROFD_AGENT_SNAPSHOT_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "child-agent/threads/label_stack.h"
#include "child-agent/threads/thread_registration.h"
#include "child-agent/unwinding/snapshot.h"

/* Fills SNAPSHOT with registers, live stack and labels of SELF, the calling thread, which was
 * interrupted at CONTEXT (a ucontext_t). If the stack is not the thread's own, the kernel copies it
 * into FOREIGN, which has room for SNAPSHOT_FOREIGN_STACK_BYTES; if FOREIGN is NULL, nothing of it
 * is included. May change errno. */
void snapshot_look(struct snapshot *snapshot, const struct thread_registration *self,
                   const void *context, uint8_t *foreign);

/* Like snapshot_look(), for the registers that are already in SNAPSHOT. */
void snapshot_show(struct snapshot *snapshot, const struct thread_registration *self,
                   uint8_t *foreign);

/* Like snapshot_look(), with a copy of the live stack for later unwinding. */
void snapshot_capture(struct snapshot_copy *copy, const struct thread_registration *self,
                      const void *context);

/* Copies the labels of STACK that were pushed in the current session. */
void snapshot_copy_labels(struct snapshot *snapshot, const struct label_stack *stack);

/* Copies COUNT bytes of the calling thread's own stack. Does not use memcpy: the program may have
 * replaced it, and sanitizers would check its dead frames. */
void snapshot_copy_bytes(uint8_t *out, uint64_t address, size_t count);

/* Copies from a stack at ADDRESS whose size is unknown. The kernel reads it and stops where nothing
 * is mapped. OUT has room for SNAPSHOT_FOREIGN_STACK_BYTES. Returns the number of bytes copied. May
 * change errno. */
size_t snapshot_copy_foreign_stack(uint8_t *out, uint64_t address);

#endif
