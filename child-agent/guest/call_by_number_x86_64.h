/* What a signal handler can tell of a call that it cut short, when the program made it by its
 * number: the interposed syscall() keeps the number, which the kernel's answer takes the place of.
 */
#ifndef PROFD_AGENT_CALL_BY_NUMBER_X86_64_H
#define PROFD_AGENT_CALL_BY_NUMBER_X86_64_H

#include <stdint.h>

/* Where the kernel comes back to in the interposed syscall(). NULL where that is not linked. */
extern const uint8_t call_by_number_was_made[] __attribute__((weak, visibility("hidden")));

/* From rsp there: where the number is, in what the kernel leaves alone below the stack's end. */
enum { CALL_BY_NUMBER_OFFSET = -8 };

#endif
