/* few_addresses THREADS [data]: burns in the main thread and in so many others, and prints how many
 * kilobytes of addresses the process had at most, or how many of data it has. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/system/programs/burn.h"

enum { MOST_THREADS = 64, STACK_BYTES = 256 * 1024, LINE_BYTES = 256 };

static void *burn_thread(void *unused)
{
    burn_outer(0.2);
    return unused;
}

static int print_line(const char *format)
{
    char line[LINE_BYTES];
    long kilobytes;
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL)
        return 1;
    while (fgets(line, sizeof(line), status) != NULL)
        if (sscanf(line, format, &kilobytes) == 1)
            printf("%ld\n", kilobytes);
    fclose(status);
    return 0;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t threads[MOST_THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int i = 0; i < count && i < MOST_THREADS; i++)
        if (pthread_create(&threads[i], &attributes, burn_thread, NULL) != 0)
            return 1;
    burn_outer(0.2);
    for (int i = 0; i < count && i < MOST_THREADS; i++)
        pthread_join(threads[i], NULL);
    return print_line(argc > 2 ? "VmData: %ld" : "VmPeak: %ld");
}
