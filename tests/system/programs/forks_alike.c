/* forks_alike: eight children of one parent, which allocate the same. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 8, CALLS = 20000, BYTES = 4000 };

static void *volatile sink; /* keeps the compiler from leaving the calls out */

static void allocate_blocks(void)
{
    for (int i = 0; i < CALLS; i++) {
        sink = malloc(BYTES);
        free(sink);
    }
}

int main(void)
{
    int status, failed = 0;
    allocate_blocks();
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            allocate_blocks();
            return 0;
        }
        failed |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    return failed;
}
