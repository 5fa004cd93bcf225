/* What another process, profd, costs in CPU time. */
#ifndef TESTS_BENCH_WATCHED_PROFD_H
#define TESTS_BENCH_WATCHED_PROFD_H

#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/bench.h"

/* The file NAME of /proc/PID; whoever cannot be watched makes the figures worthless. */
static inline FILE *watched_open(pid_t pid, const char *name)
{
    char path[300];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static inline DIR *watched_list(pid_t pid, const char *name)
{
    char path[300];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        perror(path);
        exit(1);
    }
    return folder;
}

/* CPU time of all threads that live, to the nanosecond (/proc/PID/stat counts in ticks). */
static inline double watched_cpu_ns(pid_t pid)
{
    DIR *tasks = watched_list(pid, "task");
    double sum = 0, cpu_ns;
    for (struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
        char name[280];
        if (task->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "task/%s/schedstat", task->d_name);
        FILE *file = watched_open(pid, name);
        if (fscanf(file, "%lf", &cpu_ns) == 1)
            sum += cpu_ns;
        fclose(file);
    }
    closedir(tasks);
    return sum;
}

/* The share of one core, in percent, that PID uses in the next SECONDS. */
static inline double watched_share(pid_t pid, int seconds)
{
    double start = bench_now_ns(), cpu = watched_cpu_ns(pid);
    struct timespec end = { .tv_sec = seconds };
    clock_nanosleep(CLOCK_MONOTONIC, 0, &end, NULL);
    return 100 * (watched_cpu_ns(pid) - cpu) / (bench_now_ns() - start);
}

#endif
