/* refuses reads|signals COMMAND…: runs COMMAND where a filter refuses to read the memory of a
 * process (process_vm_readv), as some containers do, or to send a signal with a value to a thread
 * (rt_tgsigqueueinfo). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/call_filter.h"

int main(int count, char **arguments)
{
    if (count < 3)
        return 1;
    unsigned call =
        strcmp(arguments[1], "signals") == 0 ? SYS_rt_tgsigqueueinfo : SYS_process_vm_readv;

    if (filter_call(call, SECCOMP_RET_ERRNO | EPERM) < 0)
        return 1;
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 1;
}
