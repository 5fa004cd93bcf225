/* Reads this process's own memory where it may not be mapped (any more): an error instead of a
 * crash. A system call each; any thread, also in signal
 * handlers. May change errno. */
#ifndef PROFD_AGENT_PROCESS_MEMORY_H
#define PROFD_AGENT_PROCESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* All of BYTES, or -EFAULT when some of it cannot be read; another negative errno when the kernel
 * lets nobody look (then nothing can be read this way). */
int process_memory_read(uint64_t address, void *out, size_t bytes);

/* The calling thread has a table of descriptors that is not the program's: where the kernel refuses
 * the usual way, it may open a file. */
void process_memory_allow_descriptors(void);

#endif
