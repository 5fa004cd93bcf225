/* Threads without a stack of their own for signals, and threads that set one and give it up again.
 * The status is 1 when one sees another stack than it set, or a handler runs elsewhere than alone:
 * on the thread's own stack, also with SA_ONSTACK. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { STACK_BYTES = 32 * 1024, NEAR_BYTES = 64 * 1024, THREADS = 5 };

static __thread const char *frame; /* of whoever raises the signal */
static __thread volatile sig_atomic_t ran_near;

static void on_signal(int number)
{
    char here;
    (void)number;
    ran_near = labs(&here - frame) < NEAR_BYTES;
}

static bool is_handled_near(void)
{
    char here;
    frame = &here;
    ran_near = 0;
    raise(SIGUSR1);
    return ran_near;
}

static bool has_none(void)
{
    stack_t now;
    return sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE && now.ss_sp == NULL &&
           now.ss_size == 0;
}

static bool sets_and_gives_up(void)
{
    stack_t own = { .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES }, now;
    const stack_t none = { .ss_flags = SS_DISABLE };
    bool is_right = sigaltstack(&own, &now) == 0 && now.ss_flags == SS_DISABLE;
    burn_outer(0.01);
    is_right = is_right && sigaltstack(NULL, &now) == 0 && now.ss_sp == own.ss_sp &&
               now.ss_size == own.ss_size && now.ss_flags == 0;
    is_right = is_right && sigaltstack(&none, &now) == 0 && now.ss_sp == own.ss_sp;
    burn_outer(0.01);
    free(own.ss_sp);
    return is_right && has_none();
}

static void *check_stack(void *unused)
{
    (void)unused;
    burn_outer(0.01);
    bool is_right = has_none() && is_handled_near() && sets_and_gives_up() && is_handled_near();
    return (void *)(intptr_t)!is_right;
}

static int check_all(void)
{
    pthread_t threads[THREADS];
    void *result;
    intptr_t bad = (intptr_t)check_stack(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, check_stack, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &result);
        bad += (intptr_t)result;
    }
    return bad != 0;
}

static int check_in_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(check_all());
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGUSR1, &action, NULL);
    int bad = check_all() | check_in_child();
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    return bad | check_all() | check_in_child();
}
