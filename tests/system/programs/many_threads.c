/* many_threads COUNT [record]: has so many threads at once, named "thread-N", each of which has
 * recorded a marker when asked to; ends when all were there. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profd.h"

static pthread_barrier_t all;
static int records;

static void *work(void *number)
{
    char name[16];
    snprintf(name, sizeof(name), "thread-%d", (int)(long)number);
    pthread_setname_np(pthread_self(), name);
    if (records)
        PROFD_MARKER("here", PROFD_CATEGORY_OTHER);
    pthread_barrier_wait(&all);
    pthread_barrier_wait(&all);
    return NULL;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 100;
    pthread_attr_t attributes;
    pthread_t *threads = calloc((size_t)count, sizeof(*threads));
    records = argc > 2 && strcmp(argv[2], "record") == 0;
    pthread_barrier_init(&all, NULL, (unsigned)count + 1);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], &attributes, work, (void *)i) != 0)
            return 1;
    pthread_barrier_wait(&all);
    pthread_barrier_wait(&all);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%ld threads\n", count);
    return 0;
}
