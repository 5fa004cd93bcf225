/* begins_threads FILE: has a thread that sleeps, and begins others that do nothing, until FILE
 * exists. Prints "done". */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *rest_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *do_nothing(void *unused)
{
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t resting, other;
    if (argc != 2 || pthread_create(&resting, NULL, rest_for_ever, NULL) != 0)
        return 1;
    while (access(argv[1], F_OK) != 0) {
        if (pthread_create(&other, NULL, do_nothing, NULL) != 0 || pthread_join(other, NULL) != 0)
            return 1;
    }
    puts("done");
    return 0;
}
