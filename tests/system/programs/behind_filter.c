/* behind_filter: sets a filter that kills whoever makes one of the calls that only an agent would
 * make here, then forks, makes a thread and runs true(1). Exits with 0 when all of them live. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static int set_filter(void)
{
    static const unsigned forbidden[] = { SYS_membarrier,      SYS_memfd_create,     SYS_socket,
                                          SYS_timer_create,    SYS_timer_settime,    SYS_getpid,
                                          SYS_fcntl,           SYS_process_vm_readv, SYS_tgkill,
                                          SYS_perf_event_open, SYS_faccessat,        SYS_faccessat2,
                                          SYS_gettid };
    enum { COUNT = sizeof(forbidden) / sizeof(forbidden[0]) };
    struct sock_filter filter[2 * COUNT + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                          offsetof(struct seccomp_data, nr)) };
    unsigned short length = 1;
    for (size_t i = 0; i < COUNT; i++) {
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = { .len = length, .filter = filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int status_of(pid_t child)
{
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void *work(void *argument)
{
    burn_outer(0.05);
    return argument;
}

int main(void)
{
    pthread_t thread;
    burn_outer(0.05);
    if (set_filter() < 0)
        return 77;
    pid_t child = fork();
    if (child == 0) {
        burn_outer(0.05);
        exit(3);
    }
    if (status_of(child) != 3 << 8)
        return 1;
    child = fork();
    if (child == 0) {
        execlp("true", "true", NULL);
        exit(4);
    }
    if (status_of(child) != 0)
        return 2;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 5;
    if (prctl(PR_SET_NAME, "renamed") < 0)
        return 6;
    burn_outer(0.05);
    return 0;
}
