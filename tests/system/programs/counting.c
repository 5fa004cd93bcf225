/* counting TIMES [many] [fork] [wait] [stay] [LIBRARY…]: counts from four threads and two
 * declarations; then adds to more counters than are allowed, counts in a child, waits a hundred
 * times, stays until it is killed, or loads a library that counts, unloads it and loads it again.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

#include "burn.h"

enum { THREADS = 4, MANY = 300 };

PROFD_COUNTER(items, "items", "Work", "items that were done");
PROFD_COUNTER(same_items, "items", "Work", "declared twice");
PROFD_COUNTER(held, "held", "Memory", "bytes \"held\"");
PROFD_COUNTER(early, "early", "Work", "added to before main");

static int times;

__attribute__((constructor)) static void before_main(void)
{
    profd_counter_add(&early, 7);
}

static void *count_items(void *unused)
{
    for (int i = 0; i < times; i++) {
        profd_counter_add(&items, 1);
        profd_counter_add(&held, 100);
        profd_counter_add(&held, -99);
    }
    return unused;
}

static void count_in_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count_items, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void count_many(void)
{
    static struct profd_counter many[MANY];
    static char names[MANY][16];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "many %d", i);
        many[i] = (struct profd_counter){ names[i], "Many", "", 0 };
        profd_counter_add(&many[i], i);
    }
}

static void count_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        profd_counter_add(&items, 1);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void wait_often(void)
{
    for (int i = 0; i < 100; i++) {
        poll(NULL, 0, 1);
        burn_inner();
    }
}

static int count_in_library(const char *path)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return -1;
        }
        void (*count_there)(void);
        *(void **)&count_there = dlsym(library, "count_there");
        count_there();
        dlclose(library);
    }
    return 0;
}

int main(int argc, char **argv)
{
    times = argc > 1 ? atoi(argv[1]) : 1000;
    count_in_threads();
    profd_counter_add(&same_items, 1000000);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "many") == 0)
            count_many();
        else if (strcmp(argv[i], "fork") == 0)
            count_in_child();
        else if (strcmp(argv[i], "wait") == 0)
            wait_often();
        else if (strcmp(argv[i], "stay") == 0)
            pause();
        else if (count_in_library(argv[i]) < 0)
            return 1;
    }
    return 0;
}
