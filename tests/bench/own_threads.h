/* What the kernel knows of this process's own threads. */
#ifndef TESTS_BENCH_OWN_THREADS_H
#define TESTS_BENCH_OWN_THREADS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads /proc/self/task/TASK/FILE, terminated. Empty when it is gone. */
static inline void read_task_file(const char *task, const char *file, char *out, size_t capacity)
{
    char path[512];
    snprintf(path, sizeof(path), "/proc/self/task/%s/%s", task, file);
    FILE *stream = fopen(path, "r");
    size_t bytes = stream != NULL ? fread(out, 1, capacity - 1, stream) : 0;
    out[bytes] = '\0';
    if (stream != NULL)
        fclose(stream);
}

/* CPU time in ns of the threads whose name starts with PREFIX; all threads for "". */
static inline double threads_cpu_ns(const char *prefix)
{
    double sum = 0;
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        char text[256];
        read_task_file(entry->d_name, "comm", text, sizeof(text));
        if (entry->d_name[0] == '.' || strncmp(text, prefix, strlen(prefix)) != 0)
            continue;
        read_task_file(entry->d_name, "schedstat", text, sizeof(text));
        sum += strtod(text, NULL);
    }
    if (tasks != NULL)
        closedir(tasks);
    return sum;
}

#endif
