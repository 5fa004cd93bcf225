/* behind_filter: sets a filter that kills whoever makes one of the calls that only an agent would
 * make here, then forks, makes a thread and runs true(1). Exits with 0 when all of them live. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/call_filter.h"
#include "tests/system/programs/burn.h"

static int set_filter(void)
{
    static const uint32_t forbidden[] = { SYS_membarrier,      SYS_memfd_create,     SYS_socket,
                                          SYS_timer_create,    SYS_timer_settime,    SYS_getpid,
                                          SYS_fcntl,           SYS_process_vm_readv, SYS_tgkill,
                                          SYS_perf_event_open, SYS_faccessat,        SYS_faccessat2,
                                          SYS_gettid };
    return filter_calls(forbidden, sizeof(forbidden) / sizeof(forbidden[0]),
                        SECCOMP_RET_KILL_PROCESS);
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
