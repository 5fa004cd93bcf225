/* named_threads SECONDS: works for so long in two threads, "alpha" and "beta", and is idle itself.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/system/programs/burn.h"

static double seconds;

static void *work(void *name)
{
    pthread_setname_np(pthread_self(), name);
    burn_outer(seconds);
    return NULL;
}

int main(int argc, char **argv)
{
    static char names[2][8] = { "alpha", "beta" };
    pthread_t threads[2];
    seconds = argc > 1 ? strtod(argv[1], NULL) : 0.2;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, names[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
