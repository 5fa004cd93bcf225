/* fork_in_loader: forks inside a call-back of dl_iterate_phdr, that is, while it has the dynamic
 * loader's lock, and another thread unwinds its stack, which must not need that lock. */
#include <link.h>
#include <profd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static _Atomic bool has_marked; /* the other thread */

static void *mark_thread(void *unused)
{
    struct profd_stack stack;
    profd_stack_capture(&stack);
    atomic_store(&has_marked, true);
    return unused;
}

static int fork_here(struct dl_phdr_info *info, size_t size, void *result)
{
    pthread_t thread;
    (void)info, (void)size;
    if (pthread_create(&thread, NULL, mark_thread, NULL) != 0)
        abort();
    while (!atomic_load(&has_marked))
        sched_yield();
    *(pid_t *)result = fork();
    return 1;
}

int main(void)
{
    int status = 1;
    pid_t child = -1;
    if (!profd_is_active_and_thread_is_registered())
        return 2;
    dl_iterate_phdr(fork_here, &child);
    burn_outer(0.1);
    if (child == 0)
        exit(0);
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}
