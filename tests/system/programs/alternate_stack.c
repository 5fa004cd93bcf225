/* A thread with a stack of its own for signals, on which its handler works for long. The status is
 * 1 when the handler did not run there, its stack was written to by others while it did not run,
 * or the thread has another one afterwards. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 10, FILL = 0x5a };

static char *stack;
static size_t stack_bytes;
static volatile sig_atomic_t ran_there;

static __attribute__((noinline)) void work_in_handler(void)
{
    burn_outer(0.02);
    __asm__ volatile("");
}

static void on_signal(int number)
{
    char here;
    (void)number;
    ran_there += &here >= stack && &here < stack + stack_bytes;
    work_in_handler();
}

static bool has_our_stack(void)
{
    stack_t now;
    return sigaltstack(NULL, &now) == 0 && now.ss_sp == stack && now.ss_size == stack_bytes &&
           now.ss_flags == 0;
}

int main(void)
{
    const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
    stack_bytes = 2 * (size_t)sysconf(_SC_MINSIGSTKSZ) + 8192; /* for the sampler's handler, too */
    stack = malloc(stack_bytes);
    if (stack == NULL)
        return 2;
    memset(stack, FILL, stack_bytes);
    const stack_t own = { .ss_sp = stack, .ss_size = stack_bytes };
    if (sigaltstack(&own, NULL) < 0 || sigaction(SIGUSR1, &action, NULL) < 0)
        return 2;
    for (int i = 0; i < ROUNDS; i++) {
        burn_outer(0.001);
        raise(SIGUSR1);
        if (!has_our_stack())
            return 1;
    }
    return ran_there == ROUNDS ? 0 : 1;
}
