/* Forks four children out of a process of two threads that both allocate all the time; each child
 * allocates 10000 times, frees everything, also what its parent had, and ends. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 4, CALLS = 10000, BYTES = 2000 };

/* Keeps the compiler from leaving the calls out; one a thread, since each frees what is in its own.
 */
static _Thread_local void *volatile sink;
static volatile int is_over;

static void allocate_blocks(int calls)
{
    for (int i = 0; i < calls; i++) {
        sink = malloc(BYTES);
        free(sink);
    }
}

static void *keep_allocating(void *unused)
{
    while (!is_over)
        allocate_blocks(100);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *inherited[CHILDREN];
    int status, failed = 0;
    if (pthread_create(&thread, NULL, keep_allocating, NULL) != 0)
        return 1;
    for (int i = 0; i < CHILDREN; i++) {
        inherited[i] = malloc(5000000);
        pid_t child = fork();
        if (child == 0) {
            allocate_blocks(CALLS);
            free(inherited[i]);
            return 0;
        }
        failed |= child < 0;
    }
    allocate_blocks(CALLS);
    for (int i = 0; i < CHILDREN; i++) {
        failed |= wait(&status) < 0 || status != 0;
        free(inherited[i]);
    }
    is_over = 1;
    pthread_join(thread, NULL);
    return failed;
}
