/* Detects programs that were built with a sanitizer whose runtime insists on being the first
 * library, or treats the agent as part of the program that it checks.
 *
 * Compilers link such a runtime in front of all other libraries, so the program's first library
 * shows it. A statically linked runtime is not detected. Plain system calls; nothing allocates;
 * safe between vfork and exec. */
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
