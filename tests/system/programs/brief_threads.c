/* brief_threads COUNT: so many threads, one after the other, that do nothing but take a name. The
 * last one is renamed by the main thread, and lives until that is done. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static pthread_barrier_t renamed;

static void *be_brief(void *number)
{
    char name[16];
    snprintf(name, sizeof(name), "brief %ld", (long)number);
    pthread_setname_np(pthread_self(), "not yet");
    prctl(PR_SET_NAME, name);
    return NULL;
}

static void *be_renamed(void *argument)
{
    pthread_barrier_wait(&renamed);
    return argument;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    pthread_t thread;
    for (long i = 0; i < count; i++) {
        if (pthread_create(&thread, NULL, be_brief, (void *)i) != 0 || /* NOLINT: a number */
            pthread_join(thread, NULL) != 0)
            return 1;
    }
    if (pthread_barrier_init(&renamed, NULL, 2) != 0 ||
        pthread_create(&thread, NULL, be_renamed, NULL) != 0 ||
        pthread_setname_np(thread, "renamed") != 0)
        return 1;
    pthread_barrier_wait(&renamed);
    return pthread_join(thread, NULL) == 0 ? 0 : 1;
}
