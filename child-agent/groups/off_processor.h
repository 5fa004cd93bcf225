/* Whether the calling thread has been off its processor, without a system call.
 *
 * A thread that is switched away, or gets a signal, has its restartable sequence (rseq) ended by
 * the kernel. We begin one that is never run and look whether it is still there. A program that
 * uses restartable sequences itself ends ours with its own: then the thread only seems to have been
 * off.
 *
 * Also in signal handlers. */
#ifndef PROFD_AGENT_OFF_PROCESSOR_H
#define PROFD_AGENT_OFF_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this can be told at all: not without the C library's registration (glibc 2.35). The rest
 * is only for where it can. */
static inline bool off_processor_is_known(void);

/* Watches from now on. */
static inline void off_processor_watch(void);

/* Whether the thread has been off its processor since it watches, as far as we know. */
static inline bool off_processor_was(void);

/* The number of the processor that the thread is on. */
static inline uint32_t off_processor_current(void);

#include "child-agent/groups/off_processor_x86_64.h"

#endif
