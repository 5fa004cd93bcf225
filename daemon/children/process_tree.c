#include "daemon/children/process_tree.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More generations than this between profd and a process are not looked at. */
enum { MAX_GENERATIONS = 64, STAT_BYTES = 1024 };

/* What the kernel says of PID behind its name: ") state ppid …", in TEXT; NULL when it is gone. The
 * name may hold anything, so it ends with the last parenthesis. */
static const char *read_stat(pid_t pid, char text[STAT_BYTES])
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    ssize_t length = read(fd, text, STAT_BYTES - 1);
    close(fd);
    if (length <= 0)
        return NULL;
    text[length] = '\0';
    return strrchr(text, ')');
}

/* The parent of PID, or 0. */
static pid_t parent_of(pid_t pid)
{
    char text[STAT_BYTES];
    const char *rest = read_stat(pid, text);
    pid_t parent;

    return rest != NULL && sscanf(rest, ") %*c %d", &parent) == 1 ? parent : 0;
}

uint64_t process_start_ticks(pid_t pid)
{
    char text[STAT_BYTES];
    const char *rest = read_stat(pid, text);
    uint64_t ticks;
    char state;

    /* The 22nd field; the state is the third. */
    if (rest == NULL ||
        sscanf(rest,
               ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
               "%" SCNu64,
               &state, &ticks) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : ticks;
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
