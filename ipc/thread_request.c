#include "ipc/thread_request.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REQUEST_VALUE = 0x70726f66 };

int thread_request_send(pid_t pid, int signal_number)
{
    siginfo_t info = { .si_signo = signal_number, .si_code = SI_QUEUE };

    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_int = REQUEST_VALUE;
    return syscall(SYS_rt_tgsigqueueinfo, pid, pid, signal_number, &info) < 0 ? -errno : 0;
}

bool thread_request_is(const siginfo_t *info)
{
    return info->si_code == SI_QUEUE && info->si_value.sival_int == REQUEST_VALUE;
}
