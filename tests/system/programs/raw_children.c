/* raw_children: children made past the C library, where the agent's steps do not run, do
 * what the agent looks at. Exits with 0 when each of them ended as it meant to; says which did not.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"
#include "profd.h"
#include "raw_fork.h"

enum { CHILD_STATUS = 7, ALLOCATIONS = 2000, ALLOCATION_BYTES = 100000 };

PROFD_COUNTER(children, "children", "Test", "made past the C library");

static void record_marker(void)
{
    PROFD_LABEL_PUSH("raw child", PROFD_CATEGORY_OTHER);
    PROFD_MARKER_TEXT("raw child", PROFD_CATEGORY_OTHER, "text");
    PROFD_MARKER_WITH("raw child", PROFD_CATEGORY_OTHER, profd_with_stack_now(profd_instant()),
                      NULL);
    PROFD_LABEL_POP();
    PROFD_LABEL_POP();
    profd_counter_add(&children, 1);
}

static void allocate_blocks(void)
{
    for (int i = 0; i < ALLOCATIONS; i++) {
        void *volatile memory = malloc(ALLOCATION_BYTES);
        free(memory);
    }
}

static void rename_self(void)
{
    (void)prctl(PR_SET_NAME, "raw child", 0, 0, 0);
}

static void *record_in_thread(void *argument)
{
    record_marker();
    return argument;
}

static void run_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, record_in_thread, NULL) == 0)
        (void)pthread_join(thread, NULL);
}

static void fork_again(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    (void)waitpid(child, NULL, 0);
}

static void end_with_destructors(void)
{
    exit(CHILD_STATUS); /* NOLINT: there is one thread */
}

static const struct {
    const char *name;
    void (*act)(void);
} acts[] = {
    { "record", record_marker },  { "allocate", allocate_blocks },
    { "rename", rename_self },    { "run a thread", run_thread },
    { "fork again", fork_again }, { "exit", end_with_destructors },
};

static int act_in_child(void (*act)(void))
{
    act();
    return CHILD_STATUS;
}

static int is_as_meant(pid_t child, const char *name)
{
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == CHILD_STATUS)
        return 1;
    printf("%s: %x\n", name, (unsigned)status);
    return 0;
}

int main(void)
{
    int is_good = 1;
    burn_outer(0.02);
    record_marker();
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        void (*act)(void) = acts[i].act;
        pid_t child = raw_fork();
        if (child == 0)
            _exit(act_in_child(act));
        is_good &= is_as_meant(child, acts[i].name);
    }
    record_marker();
    return is_good ? 0 : 1;
}
