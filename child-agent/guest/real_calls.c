#include "child-agent/guest/real_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KERNEL_MASK_BYTES = 8 };

void *real_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int set_name_function(pthread_t, const char *);
typedef int sigmask_function(int, const sigset_t *, sigset_t *);
typedef int sigaction_function(int, const struct sigaction *, struct sigaction *);

int real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*start_routine)(void *), void *argument)
{
    static create_function *_Atomic real;
    if (real == NULL)
        real = (create_function *)real_symbol("pthread_create");
    return real != NULL ? real(thread, attributes, start_routine, argument) : EAGAIN;
}

/* The C library's own name for sigaction, which a program without a dynamic loader has, too. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *old_action)
    __attribute__((weak));

int real_pthread_sigmask(int how, const sigset_t *set, sigset_t *old_set)
{
    static sigmask_function *_Atomic real;
    if (real == NULL)
        real = (sigmask_function *)real_symbol("pthread_sigmask");
    if (real != NULL)
        return real(how, set, old_set);
    return syscall(SYS_rt_sigprocmask, how, set, old_set, KERNEL_MASK_BYTES) < 0 ? errno : 0;
}

int real_sigaction(int number, const struct sigaction *action, struct sigaction *old_action)
{
    static sigaction_function *_Atomic real;
    if (real == NULL)
        real = (sigaction_function *)real_symbol("sigaction");
    if (real != NULL)
        return real(number, action, old_action);
    if (__sigaction != NULL)
        return __sigaction(number, action, old_action);
    errno = ENOSYS;
    return -1;
}

int real_set_name(pthread_t thread, const char *name)
{
    static set_name_function *_Atomic real;
    if (real == NULL)
        real = (set_name_function *)real_symbol("pthread_setname_np");
    return real != NULL ? real(thread, name) : ENOSYS;
}
