/* busy [SECONDS [FILE]]: keeps one CPU busy. After the first 0.2 s, or at the end of a shorter run,
 * FILE is made and holds the process id: by then there is something to see. With REST_MS in the
 * environment it rests so long after each 10 ms of work, for tests that need something to happen
 * for as long as they wait. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"

static void announce_pid(const char *path)
{
    char temporary[4096];
    snprintf(temporary, sizeof(temporary), "%s.new", path);
    FILE *file = fopen(temporary, "w");
    if (file == NULL)
        return;
    fprintf(file, "%d\n", getpid());
    fclose(file);
    rename(temporary, path);
}

static void burn_with_rests(double seconds, useconds_t rest_us)
{
    const double stretch = 0.01;
    for (double done = 0; done < seconds; done += stretch) {
        burn_outer(stretch);
        usleep(rest_us);
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.3;
    double first = seconds < 0.2 ? seconds : 0.2;
    const char *rest_ms = getenv("REST_MS");
    if (idle_thread_if_wanted() != 0)
        return 1;
    burn_outer(first);
    if (argc > 2)
        announce_pid(argv[2]);
    if (rest_ms != NULL)
        burn_with_rests(seconds - first, (useconds_t)atoi(rest_ms) * 1000);
    else
        burn_outer(seconds - first);
    return 0;
}
