/* Detects without a system call whether the calling thread has been off its processor.
 *
 * When a thread is switched away or gets a signal, the kernel ends its restartable sequence (rseq).
 * The agent begins a sequence that is never run, and checks whether it is still set. A program that
 * uses restartable sequences itself replaces it with its own; the thread then only appears to have
 * been off its processor.
 *
 * Also in signal handlers. */
#ifndef PROFD_AGENT_OFF_PROCESSOR_H
#define PROFD_AGENT_OFF_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether this can be detected. It requires the C library's registration (glibc 2.35). The
 * other functions may be used only if it can. */
static inline bool off_processor_is_known(void);

/* Starts watching. */
static inline void off_processor_watch(void);

/* Returns whether the thread has been off its processor since it started watching, as far as can be
 * told. */
static inline bool off_processor_was(void);

/* Returns the number of the processor that the thread is running on. */
static inline uint32_t off_processor_current(void);

#include "child-agent/groups/off_processor_x86_64.h"

#endif
