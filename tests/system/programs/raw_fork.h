/* A child that is made by an inline system call: nobody can hear of it. Machine-specific. */
#ifndef PROFD_TESTS_RAW_FORK_H
#define PROFD_TESTS_RAW_FORK_H

#include <sys/syscall.h>
#include <sys/types.h>

/* As fork(), but for what the C library does around it; negative: an error of the kernel. */
static inline pid_t raw_fork(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_fork) : "rcx", "r11", "memory");
    return (pid_t)result;
}

#endif
