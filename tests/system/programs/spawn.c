/* Starts programs by posix_spawn and by vfork with exec: spawn PROGRAM [ARGUMENT…], twice. */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

extern char **environ;

static int ended_well(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    pid_t spawned, forked;
    (void)argc;
    if (posix_spawnp(&spawned, argv[1], NULL, NULL, argv + 1, environ) != 0)
        return 1;
    if (!ended_well(spawned))
        return 2;
    forked = vfork();
    if (forked == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (!ended_well(forked))
        return 3;
    burn_outer(0.1);
    return 0;
}
