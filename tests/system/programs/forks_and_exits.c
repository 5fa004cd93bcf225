/* forks_and_exits SECONDS [MARKERS]: works, and writes so many markers "mark", beside a child that
 * does the same; both end by exit(). */
#include <profd.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.2;
    long markers = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    pid_t child = fork();
    int status = 0;

    burn_outer(seconds);
    for (long i = 0; i < markers; i++)
        PROFD_MARKER_TEXT("mark", PROFD_CATEGORY_OTHER, "text");
    if (child > 0 && waitpid(child, &status, 0) == child)
        exit(WEXITSTATUS(status));
    exit(child < 0);
}
