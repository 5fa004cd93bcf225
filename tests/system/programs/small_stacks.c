/* small_stacks: children with signal stacks that are hardly larger than what the kernel saves, and
 * than twice that, work for some ticks in a handler there. 0 when each of them ended with 5. */
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { MOST_BYTES = 64 * 1024, OWN_BYTES = 1024, STEP_BYTES = 512, STATUS = 5 };

static _Alignas(16) char stack[MOST_BYTES];

static void on_signal(int number)
{
    (void)number;
    burn_outer(0.02);
}

static void work_on(size_t bytes)
{
    const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
    const stack_t own = { .ss_sp = stack, .ss_size = bytes };
    if (sigaction(SIGUSR1, &action, NULL) < 0 || sigaltstack(&own, NULL) < 0)
        _exit(2);
    raise(SIGUSR1);
    _exit(STATUS);
}

static int is_enough(size_t bytes)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        work_on(bytes);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == STATUS;
}

int main(void)
{
    size_t least = getauxval(AT_MINSIGSTKSZ) + OWN_BYTES;
    int is_good = 1;
    burn_outer(0.001); /* the loader looks symbols up at first use, and takes more of a stack */
    for (size_t bytes = least; bytes <= 2 * least + OWN_BYTES && bytes <= MOST_BYTES;
         bytes += STEP_BYTES)
        is_good &= is_enough(bytes);
    return is_good ? 0 : 1;
}
