/* What the kernel knows of a process' threads. */
#ifndef TESTS_BENCH_PROCESS_THREADS_H
#define TESTS_BENCH_PROCESS_THREADS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Reads /proc/PROCESS/task/TASK/FILE, terminated. Empty when it is gone. */
static inline void read_task_file(pid_t process, const char *task, const char *file, char *out,
                                  size_t capacity)
{
    char path[512];
    snprintf(path, sizeof(path), "/proc/%d/task/%s/%s", process, task, file);
    FILE *stream = fopen(path, "r");
    size_t bytes = stream != NULL ? fread(out, 1, capacity - 1, stream) : 0;
    out[bytes] = '\0';
    if (stream != NULL)
        fclose(stream);
}

/* Adds up NUMBER_OF(PROCESS, task) over all of its threads. */
static inline double threads_sum(pid_t process, double (*number_of)(pid_t, const char *task))
{
    double sum = 0;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    struct dirent *entry;
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        if (entry->d_name[0] != '.')
            sum += number_of(process, entry->d_name);
    }
    if (tasks != NULL)
        closedir(tasks);
    return sum;
}

/* How often it went to sleep, so how often something woke it. */
static inline double task_wakeups(pid_t process, const char *task)
{
    char text[4096];
    read_task_file(process, task, "status", text, sizeof(text));
    const char *found = strstr(text, "\nvoluntary_ctxt_switches:");
    return found != NULL ? strtod(strchr(found, ':') + 1, NULL) : 0;
}

#endif
