/* forks_together: three threads fork at the same time, again and again; after each fork they take a
 * stack, for which they wait for one of the locks that a fork holds. */
#include <profd.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { THREADS = 3, FORKS = 100 };

static void *fork_often(void *unused)
{
    for (int i = 0; i < FORKS; i++) {
        struct profd_stack stack;
        int status = 1;
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
            abort();
        profd_stack_capture(&stack);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, fork_often, NULL) != 0)
            return 2;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
