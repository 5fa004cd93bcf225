/* Calls execve by an instruction of its own, of which the agent hears nothing, when FILE exists.
 *
 * becomes FILE PROGRAM [ARGUMENT…] */
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

static long call_execve(const char *path, char **arguments, char **environment)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_execve), "D"(path), "S"(arguments), "d"(environment)
                     : "rcx", "r11", "memory");
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    while (access(argv[1], F_OK) < 0)
        ; /* takes samples */
    (void)call_execve(argv[2], argv + 2, environ);
    return 1;
}
