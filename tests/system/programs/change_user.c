/* A server that drops its privileges in a child: change_user UID. Needs root. */
#include <grp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static __attribute__((noinline)) void work_without_privileges(void)
{
    burn_outer(0.4);
    burn_sink++;
}

int main(int argc, char **argv)
{
    int status;
    uid_t user = (uid_t)strtoul(argc > 1 ? argv[1] : "65534", NULL, 10);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, "unprivileged");
        if (setgroups(0, NULL) < 0 || setgid(user) < 0 || setuid(user) < 0)
            _exit(2);
        work_without_privileges();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 3;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
