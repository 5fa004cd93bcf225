/* exec_in_vain PROGRAM: works for a while, tries to become PROGRAM with more arguments than the
 * kernel takes, and works again; with a second thread if WITH_IDLE_THREAD is set. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"

enum { WORK_NS = 300 * 1000 * 1000, TOO_LONG = 256 * 1024 };

static void work(void)
{
    uint64_t end_ns = thread_cpu_ns() + WORK_NS;
    while (thread_cpu_ns() < end_ns)
        burn_inner();
}

int main(int argc, char **argv)
{
    char *long_word = malloc(TOO_LONG);
    char *arguments[] = { argv[argc - 1], long_word, NULL };
    if (argc != 2 || long_word == NULL || idle_thread_if_wanted() != 0)
        return 1;
    memset(long_word, 'x', TOO_LONG - 1);
    long_word[TOO_LONG - 1] = '\0';
    work();
    execv(argv[1], arguments);
    if (errno != E2BIG)
        return 2;
    work();
    return 0;
}
