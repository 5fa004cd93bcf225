/* Checks whether memory of this process can be read, by a system call that cannot fault and that
 * every program makes: rt_sigprocmask with an invalid `how`. The kernel reads the set first, and
 * then changes nothing. Also works behind a filter that allows rt_sigprocmask. */
#ifndef PROFD_AGENT_MEMORY_PROBE_X86_64_H
#define PROFD_AGENT_MEMORY_PROBE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether all BYTES (at least one) at ADDRESS can be read at the moment. One call for each
 * page. Any thread, also in signal handlers. Preserves errno. */
bool memory_probe_reads(uint64_t address, size_t bytes);

/* Returns the same of a string at ADDRESS, up to its end; false if it has MOST_BYTES or more. */
bool memory_probe_reads_string(uint64_t address, size_t most_bytes);

#endif
