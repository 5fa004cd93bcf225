/* A thread that deals with its stack for signals as Go's runtime does in programs with C in them:
 * it asks the kernel, past the C library, and takes a stack that it finds for its own. The status
 * is 1 when its handler runs elsewhere, or the stack is gone afterwards. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 10, STACK_BYTES = 64 * 1024 };

/* By this one a Go program is known. */
extern const char x_cgo_thread_start;
const char x_cgo_thread_start = 0;

static stack_t adopted;
static volatile sig_atomic_t ran_there;

static void on_signal(int number)
{
    const char here = 0, *low = adopted.ss_sp;
    (void)number;
    ran_there += &here >= low && &here < low + adopted.ss_size;
}

static bool adopt_stack(void)
{
    if (syscall(SYS_sigaltstack, NULL, &adopted) < 0)
        return false;
    if ((adopted.ss_flags & SS_DISABLE) == 0)
        return true;
    adopted = (stack_t){ .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES };
    return adopted.ss_sp != NULL && syscall(SYS_sigaltstack, &adopted, NULL) == 0;
}

static bool still_has_it(void)
{
    stack_t now;
    return syscall(SYS_sigaltstack, NULL, &now) == 0 && now.ss_sp == adopted.ss_sp &&
           (now.ss_flags & SS_DISABLE) == 0;
}

int main(void)
{
    const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
    if (!adopt_stack() || sigaction(SIGUSR1, &action, NULL) < 0)
        return 2;
    for (int i = 0; i < ROUNDS; i++) {
        burn_outer(0.01);
        raise(SIGUSR1);
        if (!still_has_it())
            return 1;
    }
    return ran_there == ROUNDS ? 0 : 1;
}
