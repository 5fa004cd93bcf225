#include "child-agent/guest/memory_probe_x86_64.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

enum {
    NO_CHANGE = -1, /* of a mask: none of SIG_BLOCK, SIG_UNBLOCK and SIG_SETMASK */
    MASK_BYTES = sizeof(uint64_t),
    PAGE_BYTES = 4096,
};

/* Past the C library, which would read the set itself, and past our own syscall(). */
static bool reads_word(uint64_t address)
{
    register uint64_t r10 __asm__("r10") = MASK_BYTES;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_rt_sigprocmask), "D"(NO_CHANGE), "S"(address), "d"(NULL), "r"(r10)
                     : "rcx", "r11", "memory");
    return result != -EFAULT;
}

bool memory_probe_reads(uint64_t address, size_t bytes)
{
    uint64_t last = address + bytes - 1;
    if (last < address)
        return false;
    for (uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1); page <= last; page += PAGE_BYTES)
        if (!reads_word(page + PAGE_BYTES - MASK_BYTES)) /* at 0 there would be no set */
            return false;
    return true;
}

bool memory_probe_reads_string(uint64_t address, size_t most_bytes)
{
    size_t bytes;
    for (size_t done = 0; done < most_bytes; done += bytes) {
        uint64_t start = address + done;
        bytes = PAGE_BYTES - start % PAGE_BYTES;
        if (bytes > most_bytes - done)
            bytes = most_bytes - done;
        if (!memory_probe_reads(start, bytes))
            return false;
        if (memchr((const char *)(uintptr_t)start, '\0', bytes) != NULL) /* NOLINT: it is one */
            return true;
    }
    return false;
}
