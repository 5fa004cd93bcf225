/* late_thread FILE SECONDS: one busy thread, and a second one, which is busy too, from when FILE is
 * there. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { BEATS_PER_SECOND = 20 };

static void *burn_beside(void *argument)
{
    burn_outer(*(const double *)argument);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 3) {
        fprintf(stderr, "usage: late_thread FILE SECONDS\n");
        return 2;
    }
    double seconds = strtod(argv[2], NULL);
    while (access(argv[1], F_OK) != 0)
        burn_outer(1.0 / BEATS_PER_SECOND);
    if (pthread_create(&thread, NULL, burn_beside, &seconds) != 0)
        return 1;
    burn_outer(seconds);
    return pthread_join(thread, NULL);
}
