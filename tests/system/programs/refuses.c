/* refuses reads|signals COMMAND…: runs COMMAND where a filter refuses to read the memory of a
 * process (process_vm_readv), as some containers do, or to send a signal with a value to a thread
 * (rt_tgsigqueueinfo). */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count < 3)
        return 1;
    unsigned call =
        strcmp(arguments[1], "signals") == 0 ? SYS_rt_tgsigqueueinfo : SYS_process_vm_readv;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return 1;
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 1;
}
