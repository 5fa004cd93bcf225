/* A seccomp filter that knows one system call. */
#ifndef PROFD_TESTS_CALL_FILTER_H
#define PROFD_TESTS_CALL_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

/* From now on the calling thread, and whom it makes, gets ANSWER (SECCOMP_RET_…) for CALL (SYS_…),
 * and every other call is allowed. Returns 0; -1 with errno if the kernel takes no filter. */
static inline int filter_call(uint32_t call, uint32_t answer)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = { sizeof(lines) / sizeof(lines[0]), lines };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

#endif
