#include "daemon/children/process_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/process_clock.h"
#include "common/program_facts.h"
#include "daemon/children/process_list.h"

/* A longer variable is looked at in its beginning only: LD_PRELOAD is hardly one. */
enum { VARIABLE_BYTES = 4096, LINE_BYTES = 256 };

static FILE *open_file(pid_t pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
    return fopen(path, "re");
}

/* False when the environment cannot be read. */
static bool look_at_environment(pid_t pid, struct program_facts *facts)
{
    char variable[VARIABLE_BYTES];
    size_t length = 0;
    FILE *file = open_file(pid, "environ");

    if (file == NULL)
        return false;
    for (int c = getc(file); c != EOF; c = getc(file)) {
        if (c != '\0') {
            if (length < sizeof(variable) - 1)
                variable[length++] = (char)c;
            continue;
        }
        variable[length] = '\0';
        length = 0;
        program_look_variable(variable, facts);
    }
    bool is_read = ferror(file) == 0;
    fclose(file);
    return is_read;
}

/* Who has no agent in its environment may have been freed of it because LIBRARY, an absolute path,
 * is not there in its root. False when that cannot be looked at. */
static bool is_out_of_reach(pid_t pid, const char *library)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/root", pid);
    int root_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root_fd < 0)
        return false;
    bool is_absent = faccessat(root_fd, library + 1, F_OK, 0) < 0 && errno == ENOENT;
    close(root_fd);
    return is_absent;
}

/* The line of the file NAME of PID that begins with START, in LINE; else that is empty. */
static void find_line(pid_t pid, const char *name, const char *start, char line[LINE_BYTES])
{
    FILE *file = open_file(pid, name);
    bool is_found = false;

    while (!is_found && file != NULL && fgets(line, LINE_BYTES, file) != NULL)
        is_found = strncmp(line, start, strlen(start)) == 0;
    if (!is_found)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
}

static unsigned count_filters(pid_t pid)
{
    char line[LINE_BYTES];
    unsigned count = 0;

    find_line(pid, "status", "Seccomp_filters:", line);
    return sscanf(line, "Seccomp_filters: %u", &count) == 1 ? count : 0;
}

/* Whether it was freed of the agent because the program set a filter: not one that we have, too. */
static bool is_behind_own_filter(pid_t pid)
{
    return count_filters(pid) > count_filters(getpid());
}

static void look_at_limits(pid_t pid, struct program_facts *facts)
{
    char line[LINE_BYTES];

    find_line(pid, "limits", "Max open files", line);
    if (sscanf(line, "Max open files %" SCNu64, &facts->descriptor_limit) != 1)
        facts->descriptor_limit = UINT64_MAX;
}

/* What the kernel calls PID: the beginning of its program's name, or what it calls itself. */
static void read_name(pid_t pid, char name[PROCESS_NAME_BYTES])
{
    FILE *file = open_file(pid, "comm");

    name[0] = '\0';
    if (file != NULL && fgets(name, PROCESS_NAME_BYTES, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
}

void process_remains_read(pid_t pid, struct process_remains *out)
{
    struct process_sighting sighting;

    out->cpu_ns = process_clock_ns(pid);
    out->start_ns = process_sight(pid, &sighting) ? sighting.start_ns : 0;
    read_name(pid, out->name);
}

/* What may not be looked at belongs to somebody else by now, or has hidden itself. */
static void describe_hidden(pid_t pid, struct process_program *out)
{
    char path[64];
    struct stat status;

    read_name(pid, out->path);
    snprintf(path, sizeof(path), "/proc/%d", pid);
    bool is_foreign = stat(path, &status) == 0 && status.st_uid != geteuid();
    out->obstacle = is_foreign ? OBSTACLE_PRIVILEGED : OBSTACLE_NONE;
}

int process_program_read(pid_t pid, const char *library, struct process_program *out)
{
    char path[64], interpreter[LINE_BYTES];
    struct program_facts facts = { 0 };

    *out = (struct process_program){ .obstacle = OBSTACLE_NONE };
    snprintf(path, sizeof(path), "/proc/%d/exe", pid);
    ssize_t length = readlink(path, out->path, sizeof(out->path) - 1);
    if (length < 0 && (errno == EACCES || errno == EPERM)) {
        describe_hidden(pid, out);
        return 0;
    }
    if (length < 0)
        return -ESRCH;
    out->path[length] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ESRCH ? -ESRCH : 0;
    int error = program_look(fd, &facts, interpreter, sizeof(interpreter));
    close(fd);
    look_at_limits(pid, &facts);
    if (!look_at_environment(pid, &facts))
        facts.has_preload = true; /* nothing is known against it */
    facts.is_out_of_reach =
        !facts.has_preload && (is_out_of_reach(pid, library) || is_behind_own_filter(pid));
    if (error == 0)
        out->obstacle = program_obstacle(&facts);
    return 0;
}
