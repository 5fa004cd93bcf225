/* brief_copies: makes copies of itself that end before anything can be recorded in them: by vfork,
 * which runs no handler, and killed at once after fork. 0 when each ended so. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COPIES = 5 };

static int ends_by_vfork(void)
{
    int status;
    pid_t child = vfork();

    if (child == 0)
        _exit(3);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

static int is_killed_at_once(void)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        for (;;)
            pause();
    kill(child, SIGKILL);
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

int main(void)
{
    for (int i = 0; i < COPIES; i++)
        if (!ends_by_vfork() || !is_killed_at_once())
            return 1;
    return 0;
}
