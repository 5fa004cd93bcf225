/* thread_behind_filter: makes a thread behind a filter that kills who calls prctl(). */
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "burn.h"
#include "tests/call_filter.h"

static void *work(void *argument)
{
    burn_outer(0.02);
    return argument;
}

int main(void)
{
    pthread_t thread;
    burn_outer(0.02);
    if (filter_call(SYS_prctl, SECCOMP_RET_KILL_PROCESS) < 0)
        return 1;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 2;
    return 0;
}
