/* Loads and unloads libraries from two threads while a third works: library_storm LIBRARY… */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 400 };

static char **libraries;

static void *load_and_unload(void *result)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (char **library = libraries; *library != NULL; library++) {
            void *handle = dlopen(*library, RTLD_NOW | RTLD_LOCAL);
            if (handle == NULL || dlclose(handle) != 0) {
                fprintf(stderr, "%s\n", dlerror());
                *(int *)result = 1;
                return NULL;
            }
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int results[2] = { 0, 0 };
    (void)argc;
    libraries = argv + 1;
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, load_and_unload, &results[i]) != 0)
            return 2;
    }
    burn_outer(0.5);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return results[0] | results[1];
}
