/* shell_behind_filter [COMMAND]: sets a filter that kills whoever makes one of the calls that only
 * an agent would make here, and runs a shell by system() and by popen(), and one for COMMAND. 0
 * when all end as they should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/call_filter.h"
#include "tests/system/programs/burn.h"

static int set_filter(void)
{
    static const uint32_t forbidden[] = { SYS_timer_create,     SYS_timer_settime,
                                          SYS_perf_event_open,  SYS_memfd_create,
                                          SYS_process_vm_readv, SYS_membarrier };
    return filter_calls(forbidden, sizeof(forbidden) / sizeof(forbidden[0]),
                        SECCOMP_RET_KILL_PROCESS);
}

int main(int argc, char **argv)
{
    char line[16] = "";
    burn_outer(0.02);
    if (set_filter() < 0)
        return 77;
    int status = system("exit 3");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
        return 1;
    FILE *output = popen("echo said", "r");
    if (output == NULL || fgets(line, sizeof(line), output) == NULL || strcmp(line, "said\n") != 0)
        return 1;
    return pclose(output) == 0 && (argc < 2 || system(argv[1]) == 0) ? 0 : 1;
}
