#include "daemon/children/process_tree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/process_stat.h"
#include "common/program_facts.h"

/* More generations than this between profd and a process are not looked at. */
enum { MAX_GENERATIONS = 64 };

/* The parent of PID, or 0. */
static pid_t parent_of(pid_t pid)
{
    struct process_stat stat;

    return process_stat_read(pid, &stat) ? stat.parent_pid : 0;
}

uint64_t process_start_ticks(pid_t pid)
{
    struct process_stat stat;

    if (!process_stat_read(pid, &stat) || process_state_is_ended(stat.state))
        return 0;
    return stat.start_ticks;
}

bool process_descends_from(pid_t pid, pid_t ancestor)
{
    for (int i = 0; i < MAX_GENERATIONS && pid > 1; i++) {
        pid = parent_of(pid);
        if (pid == ancestor)
            return true;
    }
    return false;
}

static const char deleted[] = " (deleted)";

static bool is_deleted(const char *target, size_t length)
{
    const size_t deleted_length = sizeof(deleted) - 1;

    return length > deleted_length &&
           memcmp(target + length - deleted_length, deleted, deleted_length) == 0;
}

bool process_is_program(const char *target, size_t length, const char *executable)
{
    size_t known = strlen(executable);

    if (length > known && is_deleted(target, length))
        length -= sizeof(deleted) - 1;
    return length >= known && memcmp(target + length - known, executable, known) == 0;
}

enum match { SAME, OTHER, CANNOT_TELL };

static enum match match_of_files(const struct stat *file, const struct stat *running)
{
    return file->st_dev == running->st_dev && file->st_ino == running->st_ino ? SAME : OTHER;
}

/* Whether RUNNING is what would be run as EXECUTABLE: it may be a link, or a script. */
static enum match match_of_path(const char *executable, const struct stat *running)
{
    struct program_facts facts = { 0 };
    struct stat file;
    int fd = program_open(AT_FDCWD, executable, &facts);

    if (fd < 0)
        return CANNOT_TELL;
    bool is_known = fstat(fd, &file) == 0;
    close(fd);
    return is_known ? match_of_files(&file, running) : CANNOT_TELL;
}

/* Whether PID runs EXECUTABLE, as profd or the process itself finds it. */
static enum match match_of_process(pid_t pid, const char *executable)
{
    char link[64], target[PATH_MAX], inside[PATH_MAX];
    struct stat running, file;

    snprintf(link, sizeof(link), "/proc/%d/exe", pid);
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    if (length < 0)
        return CANNOT_TELL;
    if (process_is_program(target, (size_t)length, executable))
        return SAME;
    if (is_deleted(target, (size_t)length) || stat(link, &running) < 0)
        return CANNOT_TELL;
    snprintf(inside, sizeof(inside), "/proc/%d/root%.*s", pid, PATH_MAX / 2, executable);
    if (stat(inside, &file) == 0 && match_of_files(&file, &running) == SAME)
        return SAME;
    return match_of_path(executable, &running);
}

bool process_runs_other_program(pid_t pid, const char *executable)
{
    return match_of_process(pid, executable) == OTHER;
}

bool process_runs_program(pid_t pid, const char *executable)
{
    return executable[0] != '\0' && match_of_process(pid, executable) == SAME;
}
