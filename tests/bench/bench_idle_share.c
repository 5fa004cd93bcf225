/* bench_idle_share PID SECONDS: the share of one processor, in percent, that PID and all that
 * descend from it use in the next SECONDS, and how many processes they are: "value share NUMBER",
 * "value processes NUMBER". */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/watched_profd.h"

enum { MAX_PROCESSES = 20000 };

struct process {
    pid_t pid, parent;
    bool is_watched;
};

static struct process processes[MAX_PROCESSES];

static pid_t parent_of(const char *pid)
{
    char path[280], text[512] = "";
    int parent = 0;
    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    size_t bytes = fread(text, 1, sizeof(text) - 1, file);
    text[bytes] = '\0';
    fclose(file);
    const char *after_name = strrchr(text, ')');
    if (after_name == NULL || sscanf(after_name, ") %*c %d", &parent) != 1)
        return 0;
    return parent;
}

static int list_processes(void)
{
    DIR *folder = opendir("/proc");
    int count = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && count < MAX_PROCESSES)
            processes[count++] = (struct process){ pid, parent_of(entry->d_name), false };
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

static bool is_watched(int count, pid_t pid)
{
    for (int i = 0; i < count; i++) {
        if (processes[i].pid == pid)
            return processes[i].is_watched;
    }
    return false;
}

/* Marks ROOT and what descends from it. */
static int mark_descendants(int count, pid_t root)
{
    int watched = 0, before;
    do {
        before = watched;
        for (int i = 0; i < count; i++) {
            struct process *process = &processes[i];
            if (!process->is_watched &&
                (process->pid == root || is_watched(count, process->parent))) {
                process->is_watched = true;
                watched++;
            }
        }
    } while (watched != before);
    return watched;
}

static double cpu_ns(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += processes[i].is_watched ? watched_cpu_ns(processes[i].pid) : 0;
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int count = list_processes();
    int watched = mark_descendants(count, (pid_t)strtol(argv[1], NULL, 10));
    double start = bench_now_ns(), cpu = cpu_ns(count);
    struct timespec pause = { .tv_sec = strtol(argv[2], NULL, 10) };
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    bench_value("share", 100 * (cpu_ns(count) - cpu) / (bench_now_ns() - start));
    bench_value("processes", watched);
    return 0;
}
