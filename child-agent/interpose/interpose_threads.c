/* Interposed: creating and naming threads, so that unmodified programs have theirs registered. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "child-agent/agent_presence.h"
#include "child-agent/core.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/stack_pointer_x86_64.h"
#include "child-agent/interpose/interpose_filters.h"
#include "child-agent/one_thread.h"
#include "child-agent/process_title.h"
#include "child-agent/sampler/thread_mask.h"
#include "child-agent/task_places.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"

/* Runs in the new thread, outermost; what it calls is the root of the thread's stacks. */
static void *run_registered(void *argument)
{
    struct thread_registration *self = argument;
    thread_registry_adopt(self, stack_pointer());
    void *result = self->start.routine(self->start.argument);
    /* Not a tail call: this frame must stay, for the walk to end at it. */
    __asm__ volatile("" : : : "memory");
    return result;
}

static size_t stack_bytes_of(const pthread_attr_t *attributes)
{
    pthread_attr_t defaults;
    size_t bytes = 0;
    if (attributes != NULL && pthread_attr_getstacksize(attributes, &bytes) == 0)
        return bytes;
    if (pthread_getattr_default_np(&defaults) == 0) {
        if (pthread_attr_getstacksize(&defaults, &bytes) != 0)
            bytes = 0;
        pthread_attr_destroy(&defaults);
    }
    return bytes;
}

struct new_thread {
    pthread_t *handle;
    const pthread_attr_t *attributes;
    struct thread_registration *registration;
};

static int make_thread(void *argument)
{
    const struct new_thread *new = argument;
    uint64_t closed = thread_mask_close();
    int error =
        real_pthread_create(new->handle, new->attributes, run_registered, new->registration);
    thread_mask_reopen(closed);
    return error;
}

PROFD_INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                    void *(*start_routine)(void *), void *argument)
{
    struct thread_registration *registration =
        core.is_enabled ? thread_registry_prepare(stack_bytes_of(attributes)) : NULL;
    if (registration == NULL)
        return real_pthread_create(thread, attributes, start_routine, argument);
    agent_presence_ensure_thread();
    registration->start.routine = start_routine;
    registration->start.argument = argument;
    struct new_thread new = { thread, attributes, registration };
    int error = task_places_make(make_thread, &new);
    if (error != 0)
        thread_registry_cancel(registration);
    return error;
}

/* The same for threads.h, whose threads have another type. */
static int run_registered_c11(void *argument)
{
    struct thread_registration *self = argument;
    thread_registry_adopt(self, stack_pointer());
    int result = self->start.c11_routine(self->start.argument);
    __asm__ volatile("" : : : "memory");
    return result;
}

typedef int thrd_create_function(thrd_t *, thrd_start_t, void *);

static thrd_create_function *real_thrd_create;

struct new_c11_thread {
    thrd_t *handle;
    struct thread_registration *registration;
    int status;
};

/* C11 has no status of its own for too many threads. */
static int make_c11_thread(void *argument)
{
    struct new_c11_thread *new = argument;
    uint64_t closed = thread_mask_close();
    new->status = real_thrd_create(new->handle, run_registered_c11, new->registration);
    thread_mask_reopen(closed);
    return new->status == thrd_error ? EAGAIN : 0;
}

PROFD_INTERPOSED int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    if (real_thrd_create == NULL)
        real_thrd_create = (thrd_create_function *)real_symbol("thrd_create");
    struct thread_registration *registration =
        core.is_enabled ? thread_registry_prepare(stack_bytes_of(NULL)) : NULL;
    if (registration == NULL)
        return real_thrd_create(thread, start, argument);
    agent_presence_ensure_thread();
    registration->start.c11_routine = start;
    registration->start.argument = argument;
    struct new_c11_thread new = { thread, registration, thrd_error };
    (void)task_places_make(make_c11_thread, &new); /* its error is the status */
    if (new.status != thrd_success)
        thread_registry_cancel(registration);
    return new.status;
}

PROFD_INTERPOSED int pthread_setname_np(pthread_t thread, const char *name)
{
    int error = real_set_name(thread, name);
    if (error == 0 && core.is_enabled)
        thread_registry_rename_handle(thread, name);
    return error;
}

/* Who names its main thread by this call, names the process: ps shows that. A child of vfork()
 * borrows this thread, and has its name to itself; behind a filter it may not ask which it is. */
static void follow_own_name(const char *name)
{
    if (thread_current->is_main && !atomic_load(&core.has_filter) &&
        thread_current->id.number == (int32_t)syscall(SYS_gettid))
        process_title_name_main_thread(name);
}

/* As the kernel reads it: at most so many bytes, and there need be no NUL behind them. */
static void rename_current(const char *name)
{
    enum { KERNEL_NAME_LENGTH = 15 };
    char copy[KERNEL_NAME_LENGTH + 1];
    snprintf(copy, sizeof(copy), "%.*s", KERNEL_NAME_LENGTH, name);
    thread_registry_rename(thread_current, copy);
    follow_own_name(copy);
}

struct prctl_call {
    int option;
    unsigned long arguments[4];
};

static int call_prctl(void *argument)
{
    typedef int prctl_function(int, ...);
    static prctl_function *real;
    const struct prctl_call *call = argument;
    const unsigned long *arguments = call->arguments;
    if (real == NULL)
        real = (prctl_function *)real_symbol("prctl");
    return real(call->option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

/* What decides whether a thread keeps its capabilities as it changes user. */
static bool is_about_capabilities(int option)
{
    return option == PR_SET_KEEPCAPS || option == PR_SET_SECUREBITS;
}

PROFD_INTERPOSED int prctl(int option, ...)
{
    struct prctl_call call = { .option = option };
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        call.arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    if (is_about_capabilities(option))
        upcall_end_dormancy(); /* what it takes to wake may be refused from now on */
    interpose_filters_before_prctl(option, call.arguments[0], call.arguments[1]);
    if (is_about_capabilities(option) && one_thread_is_known())
        return one_thread_around(call_prctl, &call);
    int result = call_prctl(&call);
    if (result == 0 && option == PR_SET_NAME && thread_current != NULL)
        rename_current((const char *)call.arguments[0]); /* NOLINT: prctl's way */
    return result;
}
