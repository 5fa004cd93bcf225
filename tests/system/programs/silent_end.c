/* silent_end: a thread works, counts the POSIX timers of all threads, and ends by an instruction
 * that runs no destructor. The status is 0 once there is a timer less, if there was one. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

enum { PATIENCE = 200 };

static int timers_meanwhile;

/* Those that signal a thread. */
static int count_timers(void)
{
    char line[256];
    int count = 0;
    FILE *file = fopen("/proc/self/timers", "r");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof(line), file) != NULL)
        count += strstr(line, "signal/tid.") != NULL;
    fclose(file);
    return count;
}

static void *work(void *argument)
{
    burn_outer(0.05);
    timers_meanwhile = count_timers();
    __asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
    return argument;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 2;
    for (int i = 0; i < PATIENCE; i++) {
        burn_outer(0.02);
        if (timers_meanwhile == 0 || count_timers() < timers_meanwhile)
            return 0;
        usleep(30000);
    }
    fprintf(stderr, "%d timers, as before\n", count_timers());
    return 1;
}
