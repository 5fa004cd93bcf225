/* no_descriptors: has opened all the files that it may open, and forks children that work, one
 * after the other; the last one works a little, closes some files, and works on. 0 when each of
 * them ended with 5. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { FILES = 64, CHILDREN = 3, STREAMS = 3, STATUS = 5 };

static int run_child(int closes_files)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        if (closes_files)
            burn_outer(0.01);
        for (int fd = STREAMS; closes_files && fd < FILES; fd++)
            close(fd);
        burn_outer(0.1);
        _exit(STATUS);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == STATUS;
}

int main(void)
{
    const struct rlimit limit = { FILES, FILES };
    int is_good = setrlimit(RLIMIT_NOFILE, &limit) == 0;

    while (dup(STDIN_FILENO) >= 0)
        ;
    for (int i = 0; i < CHILDREN; i++)
        is_good &= run_child(i + 1 == CHILDREN);
    return is_good ? 0 : 1;
}
