#include "profctl/naming/own_stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "json/spare_pages.h"

enum { OWN_STACK_BYTES = 8 * 1024 * 1024 };

struct task {
    int (*work)(void *argument);
    void *argument;
    int result;
};

static void *run_task(void *context)
{
    struct task *task = context;
    spare_pages_keep(); /* there may be thousands of processes to write */
    task->result = task->work(task->argument);
    spare_pages_release();
    return NULL;
}

int own_stack_run(int (*work)(void *argument), void *argument)
{
    struct task task = { .work = work, .argument = argument };
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);

    if (error != 0)
        return -error;
    error = pthread_attr_setstacksize(&attributes, OWN_STACK_BYTES);
    if (error != 0)
        goto cleanup;
    sigfillset(&all);
    error = pthread_sigmask(SIG_SETMASK, &all, &before); /* as the thread begins with it */
    if (error != 0)
        goto cleanup;
    int create_error = pthread_create(&thread, &attributes, run_task, &task);
    error = pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (create_error == 0)
        create_error = pthread_join(thread, NULL);
    if (error == 0)
        error = create_error;
cleanup:
    pthread_attr_destroy(&attributes);
    return error != 0 ? -error : task.result;
}
