/* Reads this process's own memory where it may not be mapped, or no longer: gives an error
 * instead of a crash. One system call for each read. Any thread, also in signal handlers. May
 * change errno. */
#ifndef PROFD_AGENT_PROCESS_MEMORY_H
#define PROFD_AGENT_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads all of BYTES. Returns 0, -EFAULT if some of it cannot be read, or another negative errno if
 * the kernel does not allow it at all; nothing can be read this way then. */
int process_memory_read(uint64_t address, void *out, size_t bytes);

/* Reads an argument of a call that the program makes, which may be no address. Returns whether all
 * of BYTES could be read. Preserves errno. */
bool process_memory_read_argument(const void *argument, void *out, size_t bytes);

/* Allows the calling thread to open a file if the kernel refuses the usual way. The thread must
 * have a descriptor table of its own. */
void process_memory_allow_descriptors(void);

/* Makes all later reads work without system calls. They can read only the libraries that the
 * process started with, which stay mapped as long as the process lives; everything else is
 * unreadable. Called before a filter of system calls is set; not in signal handlers. */
void process_memory_read_directly(void);

/* Remembers the currently loaded libraries as those that the process started with. If the kernel
 * refuses to read memory, they are read directly from now on. Called from the constructor. */
void process_memory_note_first_libraries(void);

/* Returns whether the kernel refuses to read memory (a seccomp filter of a container, or a kernel
 * without the call). Then threads with the program's descriptors can read nothing outside of those
 * libraries. Any thread. */
bool process_memory_is_refused(void);

/* Returns whether memory is read directly. Any thread. */
bool process_memory_is_read_directly(void);

#endif
