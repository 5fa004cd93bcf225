/* The main thread ends before its process: with "thread", another thread is the last one; with
 * "thread only", the main thread has ended before there is anything to sample. */
#include <pthread.h>

#include "tests/system/programs/burn.h"

static void *work(void *argument)
{
    burn_outer(0.1);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    if (argc <= 2)
        burn_outer(0.05);
    if (argc > 1 && pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    pthread_exit(NULL);
}
