/* exec_chain COUNT PROGRAM [ARGUMENT…]: execs itself COUNT times, then PROGRAM, all with one
 * process id. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

int main(int argc, char **argv)
{
    char count[16];
    int left = argc > 2 ? atoi(argv[1]) : 0;
    burn_outer(0.05);
    if (argc < 3)
        return 2;
    if (left > 0) {
        snprintf(count, sizeof(count), "%d", left - 1);
        argv[1] = count;
        execv(argv[0], argv);
    } else {
        execvp(argv[2], argv + 2);
    }
    return 1;
}
