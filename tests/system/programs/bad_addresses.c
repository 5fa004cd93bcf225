/* bad_addresses: makes calls with addresses at which there is nothing, by their names and by their
 * numbers. 0 when each answered EFAULT. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not constants: the compiler would complain. */
static void *volatile nothing, *volatile nowhere = (void *)(uintptr_t)16; /* NOLINT */

static int is_refused(const char *name, long result)
{
    if (result == -1 && errno == EFAULT)
        return 1;
    printf("%s: %ld, errno %d\n", name, result, errno);
    return 0;
}

int main(void)
{
    char *arguments[] = { "true", NULL }, *bad[] = { "A=1", nowhere, NULL };
    const struct sigaction action = { .sa_handler = SIG_DFL, .sa_flags = SA_ONSTACK };
    int is_good = sigaction(SIGUSR1, &action, NULL) == 0;
    is_good &= is_refused("sigaltstack", sigaltstack(nowhere, NULL));
    is_good &= is_refused("signalfd of NULL", signalfd(-1, nothing, 0));
    is_good &= is_refused("signalfd", signalfd(-1, nowhere, 0));
    is_good &= is_refused("signalfd4", syscall(SYS_signalfd4, -1, nowhere, sizeof(uint64_t), 0));
    is_good &= is_refused("rt_sigaction",
                          syscall(SYS_rt_sigaction, SIGURG, nowhere, NULL, sizeof(uint64_t)));
    is_good &= is_refused("rt_sigaction",
                          syscall(SYS_rt_sigaction, SIGURG, NULL, nowhere, sizeof(uint64_t)));
    is_good &= is_refused("execve", syscall(SYS_execve, "/bin/true", arguments, nowhere));
    is_good &= is_refused("execve", syscall(SYS_execve, "/bin/true", nowhere, NULL));
    is_good &= is_refused("execveat",
                          syscall(SYS_execveat, STDIN_FILENO, "/bin/true", arguments, nowhere, 0));
    is_good &= is_refused("execve by name", execve("/bin/true", arguments, nowhere));
    is_good &= is_refused("a variable of execve", execve("/bin/true", arguments, bad));
    is_good &= is_refused("execvpe", execvpe("true", arguments, nowhere));
    errno = posix_spawn(NULL, "/bin/true", NULL, NULL, arguments, bad);
    is_good &= is_refused("posix_spawn", errno != 0 ? -1 : 0);
    return is_good ? 0 : 1;
}
