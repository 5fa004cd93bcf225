/* Whether memory of this process can be read, found out by a call that cannot fault and that every
 * program makes: what asks to change the mask of signals in a way that there is not. The kernel
 * reads the set first, and changes nothing. Also behind a filter that lets rt_sigprocmask through.
 */
#ifndef PROFD_AGENT_MEMORY_PROBE_X86_64_H
#define PROFD_AGENT_MEMORY_PROBE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether all BYTES (at least one) at ADDRESS can be read now. A call for each page; any thread,
 * also in signal handlers. errno stays. */
bool memory_probe_reads(uint64_t address, size_t bytes);

#endif
