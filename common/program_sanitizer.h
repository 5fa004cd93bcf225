/* Programs that were built with a sanitizer whose runtime insists on being the first library, or
 * takes the agent for part of what it checks.
 *
 * Compilers link such a runtime in front of all others, so one look at the program's first library
 * tells. One that is linked statically is not seen. Plain system calls; nothing allocates; safe
 * between vfork and exec. */
#ifndef PROFD_COMMON_PROGRAM_SANITIZER_H
#define PROFD_COMMON_PROGRAM_SANITIZER_H

#include <elf.h>

enum program_sanitizer {
    SANITIZER_NONE = 0,
    SANITIZER_ADDRESS, /* not with the agent in front, unless it is told not to look */
    SANITIZER_THREAD,  /* not with the agent */
};

/* Of the file behind FD (borrowed), whose segments are SEGMENTS (COUNT). */
enum program_sanitizer program_sanitizer_of(int fd, const Elf64_Phdr *segments, unsigned count);

/* By the name of a library. Pure. */
enum program_sanitizer program_sanitizer_called(const char *library);

#endif
