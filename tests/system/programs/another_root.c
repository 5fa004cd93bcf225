/* another_root ROOT PROGRAM [VARIABLES]: enters ROOT and runs PROGRAM there in every way there is,
 * with as many more variables in the environment. 0 when each of them ended with 3. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program;
static char *arguments[] = { "program", NULL };

enum { WAYS = 11 };

static void run_way(int way)
{
    switch (way) {
    case 0:
        execl(program, program, (char *)NULL);
        break;
    case 1:
        execlp(program, program, (char *)NULL);
        break;
    case 2:
        execle(program, program, (char *)NULL, environ);
        break;
    case 3:
        execv(program, arguments);
        break;
    case 4:
        execvp(program, arguments);
        break;
    case 5:
        execvpe(program, arguments, environ);
        break;
    case 6:
        execve(program, arguments, environ);
        break;
    case 7:
        fexecve(open(program, O_RDONLY), arguments, environ);
        break;
    case 8:
        execveat(AT_FDCWD, program, arguments, environ, 0);
        break;
    case 9:
        syscall(SYS_execve, program, arguments, environ);
        break;
    default:
        syscall(SYS_execveat, AT_FDCWD, program, arguments, environ, 0);
        break;
    }
    _exit(99);
}

static pid_t run_program(int way, int is_vfork)
{
    pid_t pid = is_vfork ? vfork() : fork();

    if (pid == 0)
        run_way(way);
    return pid;
}

static pid_t spawn_program(int by_name)
{
    pid_t pid = -1;

    if (by_name)
        posix_spawnp(&pid, program, NULL, NULL, arguments, environ);
    else
        posix_spawn(&pid, program, NULL, NULL, arguments, environ);
    return pid;
}

static int ended_well(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 3;
}

static void add_variables(int count)
{
    char name[32];

    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "V%d", i);
        setenv(name, "", 1);
    }
}

int main(int count, char **given)
{
    int is_good = 1;

    if (count < 3 || chroot(given[1]) < 0 || chdir("/") < 0)
        return 2;
    program = given[2];
    add_variables(count > 3 ? atoi(given[3]) : 0);
    for (int way = 0; way < WAYS; way++) {
        for (int is_vfork = 0; is_vfork < 2; is_vfork++)
            is_good &= ended_well(run_program(way, is_vfork));
    }
    for (int by_name = 0; by_name < 2; by_name++)
        is_good &= ended_well(spawn_program(by_name));
    return is_good ? 0 : 1;
}
