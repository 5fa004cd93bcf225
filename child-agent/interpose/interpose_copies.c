/* Interposed: calls that copy the process without fork()'s handlers. The child is followed as one
 * of fork() is, where it is a process with memory and descriptors of its own. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/census.h"
#include "child-agent/census_unasked.h"
#include "child-agent/fork.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/interpose_copies.h"
#include "child-agent/sampler/run_on_stack.h"
#include "common/apart.h"

enum { COPY_STACK_BYTES = 64 * 1024 };

typedef int start_function(void *argument);
typedef int clone_function(start_function *, void *, int, void *, ...);
typedef pid_t fork_function(void);

static clone_function *real_clone;
static fork_function *real__Fork;

/* Early: a forked child of many threads must not ask the loader. */
__attribute__((constructor)) static void find_real_calls(void)
{
    if (real_clone != NULL)
        return;
    real__Fork = (fork_function *)real_symbol("_Fork");
    real_clone = (clone_function *)real_symbol("clone");
}

bool interpose_copies_follows(uint64_t flags)
{
    return !(flags & (CLONE_VM | CLONE_FILES | CLONE_SETTLS | CLONE_THREAD));
}

/* What a child was to begin with; in its parent's frame, of which it has a copy. */
struct beginning {
    start_function *start;
    void *argument;
};

static void follow_copy(void *unused)
{
    (void)unused;
    fork_copy_end_in_child();
}

/* As the C library ends a child whose function returns: its thread, not its process, which has
 * threads of ours that have to be told. */
static void end_copy(void *status)
{
    (void)syscall(SYS_exit, *(const int *)status);
}

/* Its stack is the program's, which may be as small as programs like. */
static int begin_copy(void *argument)
{
    static LARGE_APART _Alignas(16) uint8_t stack[COPY_STACK_BYTES];
    const struct beginning beginning = *(const struct beginning *)argument;
    run_on_stack(stack + COPY_STACK_BYTES, follow_copy, NULL);
    int status = beginning.start(beginning.argument);
    run_on_stack(stack + COPY_STACK_BYTES, end_copy, &status);
    return status;
}

/* A child that shares the root directory can take this process to another one. */
static void prepare_for_other_root(int flags)
{
    if ((flags & CLONE_FS) && !(flags & CLONE_THREAD))
        fork_prepare_for_other_root();
}

PROFD_INTERPOSED int clone(start_function *start, void *stack, int flags, void *argument, ...)
{
    struct beginning beginning = { start, argument };
    va_list list;
    find_real_calls();
    va_start(list, argument);
    pid_t *parent_tid = va_arg(list, pid_t *);
    void *tls = va_arg(list, void *);
    pid_t *child_tid = va_arg(list, pid_t *);
    va_end(list);
    prepare_for_other_root(flags);
    bool is_followed = start != NULL && stack != NULL &&
                       interpose_copies_follows((unsigned)flags) && fork_copy_begin();
    const uint64_t before_ns = clock_monotonic_without_call_ns();
    int result = is_followed
                     ? real_clone(begin_copy, stack, flags, &beginning, parent_tid, tls, child_tid)
                     : real_clone(start, stack, flags, argument, parent_tid, tls, child_tid);
    int call_errno = errno;
    if (is_followed)
        fork_copy_end_in_parent();
    else if (result > 0 && interpose_copies_follows((unsigned)flags))
        census_report_copied((struct profd_process_id){ result }, before_ns);
    errno = call_errno;
    return result;
}

PROFD_INTERPOSED pid_t _Fork(void)
{
    find_real_calls();
    bool is_followed = fork_copy_begin();
    census_unasked_before_fork();
    pid_t result = real__Fork();
    int call_errno = errno;
    if (is_followed && result == 0)
        fork_copy_end_in_child();
    else if (is_followed)
        fork_copy_end_in_parent();
    else if (result == 0)
        census_report_forked();
    errno = call_errno;
    return result;
}
