#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/agent_thread.h"
#include "child-agent/real_calls.h"

enum { AGENT_STACK_BYTES = 512 * 1024 };

/* glibc takes a program's static TLS from each stack, so a small one may not be enough. */
static int create(pthread_t *thread, void *(*start_routine)(void *), void *argument)
{
    pthread_attr_t attributes;
    int err = pthread_attr_init(&attributes);
    if (err != 0)
        return -err;
    err = pthread_attr_setstacksize(&attributes, AGENT_STACK_BYTES);
    if (err == 0)
        err = real_pthread_create(thread, &attributes, start_routine, argument);
    if (err == EINVAL)
        err = real_pthread_create(thread, NULL, start_routine, argument);
    pthread_attr_destroy(&attributes);
    return -err;
}

int agent_thread_create(pthread_t *thread, void *(*start_routine)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    int err = -real_pthread_sigmask(SIG_SETMASK, &all, &before);
    if (err < 0)
        return err;
    err = create(thread, start_routine, argument);
    (void)real_pthread_sigmask(SIG_SETMASK, &before, NULL); /* a mask that was valid */
    return err;
}

void agent_thread_set_name(const char *name)
{
    (void)syscall(SYS_prctl, PR_SET_NAME, name, 0, 0, 0);
}
