/* Seccomp filters that know some system calls. */
#ifndef PROFD_TESTS_CALL_FILTER_H
#define PROFD_TESTS_CALL_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

enum { FILTERED_CALLS_MOST = 32 };

/* From now on the calling thread, and whom it makes, gets ANSWER (SECCOMP_RET_…) for each of CALLS
 * (SYS_…), of which there are COUNT, at most FILTERED_CALLS_MOST; every other call is allowed.
 * Returns 0; -1 with errno if the kernel takes no filter. */
static inline int filter_calls(const uint32_t *calls, size_t count, uint32_t answer)
{
    struct sock_filter lines[2 * FILTERED_CALLS_MOST + 2] = { BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
    unsigned short length = 1;
    for (size_t i = 0; i < count; i++) {
        lines[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
        lines[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
    }
    lines[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = { length, lines };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static inline int filter_call(uint32_t call, uint32_t answer)
{
    return filter_calls(&call, 1, answer);
}

#endif
