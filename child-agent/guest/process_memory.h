/* Reads this process's own memory where it may not be mapped (any more): an error instead of a
 * crash. A system call each; any thread, also in signal
 * handlers. May change errno. */
#ifndef PROFD_AGENT_PROCESS_MEMORY_H
#define PROFD_AGENT_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of BYTES, or -EFAULT when some of it cannot be read; another negative errno when the kernel
 * lets nobody look (then nothing can be read this way). */
int process_memory_read(uint64_t address, void *out, size_t bytes);

/* The calling thread has a table of descriptors that is not the program's: where the kernel refuses
 * the usual way, it may open a file. */
void process_memory_allow_descriptors(void);

/* From here on no call is made to read memory: what is in the libraries that the process began
 * with, which stay as long as it does, is read as it is, and nothing else can be. Before a filter
 * of system calls is set; not in signal handlers. */
void process_memory_read_directly(void);

/* The libraries that are there now are those that the process begins with. Where the kernel refuses
 * to read memory, they are read as they are from here on. From the constructor. */
void process_memory_note_first_libraries(void);

/* Whether the kernel refuses to read memory (a seccomp filter of a container, a kernel without the
 * call): what is not in those libraries cannot be read by threads with the program's descriptors.
 * Any thread. */
bool process_memory_is_refused(void);

/* Whether that was said. Any thread. */
bool process_memory_is_read_directly(void);

#endif
