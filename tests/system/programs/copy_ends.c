/* copy_ends: a child of clone() has a thread that ends, and ends itself by returning; then clone3()
 * is called with arguments that cannot be read. Exits with 0 when both went as the kernel says. */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { STACK_BYTES = 64 * 1024, CHILD_STATUS = 7 };

static void *work(void *argument)
{
    burn_outer(0.05);
    return argument;
}

static int work_in_thread(void *argument)
{
    pthread_t thread;
    (void)argument;
    return pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0
               ? CHILD_STATUS
               : 1;
}

static int child_ends(void)
{
    static _Alignas(16) char stack[STACK_BYTES];
    int status;
    pid_t child = clone(work_in_thread, stack + STACK_BYTES, SIGCHLD, NULL);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == CHILD_STATUS;
}

static int refuses_address(unsigned long address)
{
    return syscall(SYS_clone3, address, sizeof(struct clone_args)) == -1 && errno == EFAULT;
}

int main(void)
{
    burn_outer(0.02);
    return child_ends() && refuses_address(8) && refuses_address(0) ? 0 : 1;
}
