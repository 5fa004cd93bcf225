/* accounts: processes that use CPU time that they know.
 *
 * accounts                  five processes: this one uses 200 ms; a child 300 ms, which waits for a
 *                           child of its own with 150 ms; one with 50 ms that is waited for by
 * waitid; one with 100 ms that nobody waits for, and that outlives this one accounts MS [STATUS]
 * uses MS and exits with STATUS, or is killed by signal -STATUS accounts MS STATUS raw    the same
 * in a child that is waited for by a call of the kernel's */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

/* Until the calling thread has used MS in all, from its birth on. */
static void use_in_all(double ms)
{
    burn_outer(ms / 1e3 - (double)thread_cpu_ns() / 1e9);
}

static void use_and_end(double ms)
{
    use_in_all(ms);
    _exit(0);
}

static int use_with_children(void)
{
    pid_t parent = getpid(), first = fork();

    if (first == 0) {
        if (fork() == 0)
            use_and_end(150);
        wait(NULL);
        use_and_end(300);
    }
    if (fork() == 0) {
        while (getppid() == parent)
            usleep(1000);
        use_and_end(100);
    }
    pid_t second = fork();
    if (second == 0)
        use_and_end(50);
    int is_wrong = waitpid(first, NULL, 0) != first;
    is_wrong |= waitid(P_PID, (id_t)second, &(siginfo_t){ 0 }, WEXITED) != 0;
    use_in_all(200);
    return is_wrong;
}

static void end_as(int status)
{
    if (status < 0)
        kill(getpid(), -status);
    _exit(status);
}

int main(int count, char **arguments)
{
    if (count < 2)
        return use_with_children();
    int status = count > 2 ? atoi(arguments[2]) : 0;
    if (count > 3) {
        pid_t child = fork();
        if (child > 0)
            return syscall(SYS_wait4, child, NULL, 0, NULL) != child;
    }
    use_in_all(atof(arguments[1]));
    end_as(status);
}
