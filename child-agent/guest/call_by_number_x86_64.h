/* What a signal handler can learn about a system call that it interrupted, if the program made the
 * call by its number. The kernel's result overwrites the number, so the interposed syscall() keeps
 * a copy. */
#ifndef PROFD_AGENT_CALL_BY_NUMBER_X86_64_H
#define PROFD_AGENT_CALL_BY_NUMBER_X86_64_H

#include <stdint.h>

/* The address to which the kernel returns in the interposed syscall(). NULL if that is not
 * linked. */
extern const uint8_t call_by_number_was_made[] __attribute__((weak, visibility("hidden")));

/* The offset of the number from rsp at that address; it is below the stack's end, where the kernel
 * writes nothing. */
enum { CALL_BY_NUMBER_OFFSET = -8 };

#endif
