/* timers_left THREADS: runs so many threads, which work a little, all at once, and prints how many
 * POSIX timers the process has before, meanwhile, and when they have ended. Another thread has come
 * and gone before, so that the process is none of a single thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/system/programs/burn.h"

static pthread_barrier_t all;

static int count_timers(void)
{
    char line[256];
    int count = 0;
    FILE *file = fopen("/proc/self/timers", "r");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof(line), file) != NULL)
        count += strncmp(line, "ID:", 3) == 0;
    fclose(file);
    return count;
}

static void *end_at_once(void *argument)
{
    return argument;
}

static void *work(void *argument)
{
    burn_outer(0.001);
    pthread_barrier_wait(&all);
    pthread_barrier_wait(&all);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t first;
    int count = argc > 1 ? atoi(argv[1]) : 50;
    pthread_t *threads = calloc((size_t)count, sizeof(*threads));
    if (threads == NULL || pthread_barrier_init(&all, NULL, (unsigned)count + 1) != 0)
        return 2;
    if (pthread_create(&first, NULL, end_at_once, NULL) != 0 || pthread_join(first, NULL) != 0)
        return 2;
    printf("before %d\n", count_timers());
    for (int i = 0; i < count; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 2;
    }
    pthread_barrier_wait(&all);
    printf("meanwhile %d\n", count_timers());
    pthread_barrier_wait(&all);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("afterwards %d\n", count_timers());
    return 0;
}
