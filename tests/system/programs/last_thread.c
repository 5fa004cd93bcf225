/* The main thread ends before its process. Arguments: "thread": another thread is the last one;
 * "only": the main thread has ended before there is anything to sample; "joined": the other thread
 * has ended before; "call": the main thread ends by the kernel's call, which runs no destructors;
 * "instruction": likewise, and nobody can see it. */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static void *work(void *argument)
{
    burn_outer(0.1);
    return argument;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

static void end_by_instruction(void)
{
    __asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
}

int main(int argc, char **argv)
{
    pthread_t thread;
    bool joins = has_word(argc, argv, "joined");
    if (!has_word(argc, argv, "only"))
        burn_outer(0.05);
    if ((joins || has_word(argc, argv, "thread")) && pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    if (joins && pthread_join(thread, NULL) != 0)
        return 1;
    if (has_word(argc, argv, "call"))
        (void)syscall(SYS_exit, 0);
    if (has_word(argc, argv, "instruction"))
        end_by_instruction();
    pthread_exit(NULL);
}
