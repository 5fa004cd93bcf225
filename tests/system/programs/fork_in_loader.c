/* fork_in_loader: forks inside a call-back of dl_iterate_phdr, that is, while it has the dynamic
 * loader's lock, and another thread waits for that lock because its marker has a stack. */
#include <link.h>
#include <profd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static _Atomic pid_t marking; /* the other thread; 0: not begun */

static void *mark(void *unused)
{
    struct profd_stack stack;
    atomic_store(&marking, (pid_t)syscall(SYS_gettid));
    profd_stack_capture(&stack);
    return unused;
}

static bool is_asleep(pid_t thread)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        abort();
    const char *end = fgets(text, sizeof(text), file) != NULL ? strrchr(text, ')') : NULL;
    fclose(file);
    return end != NULL && end[2] == 'S';
}

static int fork_here(struct dl_phdr_info *info, size_t size, void *result)
{
    pthread_t thread;
    (void)info, (void)size;
    if (pthread_create(&thread, NULL, mark, NULL) != 0)
        abort();
    while (atomic_load(&marking) == 0 || !is_asleep(atomic_load(&marking)))
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
