#include "daemon/process_tree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More generations than this between profd and a process are not looked at. */
enum { MAX_GENERATIONS = 64 };

/* The parent of PID, or 0. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';

    /* "pid (name) state ppid": the name may hold anything, so count from its last parenthesis. */
    const char *rest = strrchr(text, ')');
    pid_t parent;
    return rest != NULL && sscanf(rest, ") %*c %d", &parent) == 1 ? parent : 0;
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

bool process_is_program(const char *target, size_t length, const char *executable)
{
    static const char deleted[] = " (deleted)";
    const size_t deleted_length = sizeof(deleted) - 1;
    size_t known = strlen(executable);

    if (length > known && length > deleted_length &&
        memcmp(target + length - deleted_length, deleted, deleted_length) == 0)
        length -= deleted_length;
    return length >= known && memcmp(target + length - known, executable, known) == 0;
}

bool process_runs_other_program(pid_t pid, const char *executable)
{
    char path[64], target[PATH_MAX];

    snprintf(path, sizeof(path), "/proc/%d/exe", pid);
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return false;
    return !process_is_program(target, (size_t)length, executable);
}
