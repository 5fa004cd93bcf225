/* counts_own_threads SECONDS: works with one thread, and insists on that: it counts its threads as
 * Chromium does, and takes a user namespace of its own by the number of the call. 0 when it never
 * saw another thread and got its namespace, 2 when nobody here may have one. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { LINKS_OF_ONE_THREAD = 3, LOOKS = 5 };

/* What programs call that were linked with a C library of before 2.33. */
static int call_old_fstatat(int folder_fd, const char *path, struct stat *out)
{
    typedef int function(int version, int folder_fd, const char *path, struct stat *out, int flags);
    function *call = (function *)dlsym(RTLD_DEFAULT, "__fxstatat64");

    return call != NULL ? call(1, folder_fd, path, out, 0) : -1;
}

static int has_one_thread(int proc, const char *path, int is_old)
{
    struct stat found;

    if ((is_old ? call_old_fstatat(proc, path, &found) : fstatat(proc, path, &found, 0)) != 0)
        return 0;
    if (found.st_nlink != LINKS_OF_ONE_THREAD)
        printf("%s has %lu links\n", path, (unsigned long)found.st_nlink);
    return found.st_nlink == LINKS_OF_ONE_THREAD;
}

static int enter_namespace(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        burn_outer(0.02);
        _exit(syscall(SYS_unshare, CLONE_NEWUSER) == 0 ? 0
              : errno == EPERM || errno == ENOSPC      ? 2
                                                       : 1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY);

    for (int i = 0; i < LOOKS; i++) {
        burn_outer(seconds / LOOKS);
        if (!has_one_thread(proc, "self/task/", i % 2) ||
            !has_one_thread(AT_FDCWD, "/proc/self/task", 0))
            return 1;
    }
    return enter_namespace();
}
