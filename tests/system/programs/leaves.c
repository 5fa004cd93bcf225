/* Ends without a word: leaves namespace|thread. Its connection to profd ends before it does, since
 * the agent's threads make way for a user namespace, or go on for a moment after the program's only
 * one in a child. */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static int leave_namespace(void)
{
    burn_outer(0.1);
    return unshare(CLONE_NEWUSER) < 0 ? 77 : 0;
}

static int leave_thread(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        burn_outer(0.1);
        pthread_exit(NULL);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "thread") == 0 ? leave_thread() : leave_namespace();
}
