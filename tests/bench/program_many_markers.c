/* Records MILLIONS million markers with text in each of PROCESSES processes, then waits to be
 * captured: program_many_markers MILLIONS PROCESSES FILE. FILE is made when all are recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

/* Waits for the session, which is told to each process after it has connected. */
static void record_markers(long count)
{
    while (!profd_is_active())
        usleep(1000);
    for (long i = 0; i < count; i++)
        PROFD_MARKER_TEXT("bench", PROFD_CATEGORY_OTHER, "a text of some length for the marker");
}

int main(int argc, char **argv)
{
    int ready[2];
    char byte = 0;
    if (argc != 4 || pipe(ready) < 0)
        return 2;
    long processes = strtol(argv[2], NULL, 10);
    for (long i = 0; i < processes; i++) {
        if (fork() == 0) {
            record_markers((long)(strtod(argv[1], NULL) * 1e6));
            if (write(ready[1], &byte, 1) != 1)
                _exit(1);
            pause();
        }
    }
    for (long i = 0; i < processes; i++) {
        if (read(ready[0], &byte, 1) != 1)
            return 1;
    }
    FILE *file = fopen(argv[3], "w");
    if (file == NULL)
        return 1;
    fprintf(file, "%d\n", getpid());
    fclose(file);
    pause();
    return 0;
}
