/* fork_joins: forks with handlers that were there before the agent's, as those of libraries are.
 * They end and wait for threads that the agent knows; in the child, while the parent's sampler is
 * in the middle of asking an idle clock. It burns before and after, in both processes. */
#include <profd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

PROFD_COUNTER(handled, "handled", "Work", "calls of handlers");

static pthread_t workers[2];
static sem_t may_end[2];
static _Atomic bool is_forking;
static _Atomic bool is_clock_read; /* while it forks */

static void *work(void *index)
{
    while (sem_wait(&may_end[(intptr_t)index]) != 0)
        ;
    return NULL;
}

static void end_worker(int index)
{
    sem_post(&may_end[index]);
    if (pthread_join(workers[index], NULL) != 0)
        abort();
}

static void *count_and_name(void *unused)
{
    pthread_setname_np(pthread_self(), "made by handler");
    profd_counter_add(&handled, 1);
    PROFD_MARKER_TEXT("handler", PROFD_CATEGORY_OTHER, "in the child");
    return unused;
}

static void end_first_worker(void)
{
    end_worker(0);
}

static void after_in_parent(void)
{
    atomic_store(&is_forking, false);
    end_worker(1);
}

static void after_in_child(void)
{
    pthread_t thread;
    profd_event_loop_end();
    if (pthread_create(&thread, NULL, count_and_name, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
}

static void register_early(void)
{
    if (pthread_atfork(end_first_worker, after_in_parent, after_in_child) != 0)
        abort();
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = register_early;

/* The sampler, which calls it too, is kept until the fork is over in the parent. */
static uint64_t idle_clock(void *unused)
{
    (void)unused;
    while (atomic_load(&is_forking) && syscall(SYS_gettid) != getpid())
        atomic_store(&is_clock_read, true);
    return 0;
}

int main(void)
{
    int status = 1;
    for (int i = 0; i < 2; i++) {
        sem_init(&may_end[i], 0, 0);
        if (pthread_create(&workers[i], NULL, work, (void *)(intptr_t)i) != 0)
            return 2;
    }
    profd_event_loop_begin(idle_clock, NULL);
    profd_event_loop_turn();
    atomic_store(&is_forking, true);
    while (!atomic_load(&is_clock_read))
        sched_yield();
    pid_t child = fork();
    profd_event_loop_end();
    burn_outer(0.1);
    if (child == 0)
        exit(0);
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}
