#include "profctl/symbols/jit_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/file_name.h"
#include "common/time_units.h"
#include "json/gecko/gecko_meta.h"
#include "profctl/symbols/jit_lists.h"

enum {
    PATH_BYTES = 64,
    STATUS_BYTES = 4096,
    /* File systems tell times by a coarser clock. */
    CLOCK_SLACK_MS = 100,
};

bool jit_is_dump_path(const char *path)
{
    const char *name = file_name_of(path);
    size_t digits;

    if (strncmp(name, "jit-", 4) != 0)
        return false;
    digits = strspn(name + 4, "0123456789");
    return digits > 0 && strcmp(name + 4 + digits, ".dump") == 0;
}

/* --- Which files --- */

/* Opens PATH as a process whose root is ROOT_FD would, without following a link at its end. */
static int open_within(int root_fd, const char *path)
{
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };

    return (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
}

static double timestamp_ms(const struct statx_timestamp *time)
{
    return (double)time->tv_sec * MS_PER_S + (double)time->tv_nsec / NS_PER_MS;
}

static bool is_of_its_time(const struct jit_process *process, const struct statx *status)
{
    if (timestamp_ms(&status->stx_mtime) + CLOCK_SLACK_MS < process->start_ms)
        return false;
    return process->end_ms == 0 || !(status->stx_mask & STATX_BTIME) ||
           timestamp_ms(&status->stx_btime) <= process->end_ms + CLOCK_SLACK_MS;
}

static bool is_believed(const struct jit_process *process, int fd)
{
    struct statx status;
    bool is_of_user;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &status) != 0)
        return false;
    is_of_user = status.stx_uid == 0 || status.stx_uid == geteuid() ||
                 (process->knows_user && status.stx_uid == (uint64_t)process->user);
    return S_ISREG(status.stx_mode) && is_of_user && status.stx_size <= JIT_MAX_FILE_BYTES &&
           is_of_its_time(process, &status);
}

/* NULL when it is not there or not believed. */
static FILE *open_list(const struct jit_process *process, int root_fd, const char *path)
{
    int fd = open_within(root_fd, path);
    FILE *file;

    if (fd < 0)
        return NULL;
    file = is_believed(process, fd) ? fdopen(fd, "re") : NULL;
    if (file == NULL)
        close(fd);
    return file;
}

/* The process id that PID has in its innermost namespace: how it calls itself. */
static int64_t own_pid(int64_t pid)
{
    static const char field[] = "\nNSpid:";
    char path[PATH_BYTES], status[STATUS_BYTES];
    const char *line, *last;
    ssize_t got;
    int fd;

    snprintf(path, sizeof(path), "/proc/%lld/status", (long long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pid;
    got = read(fd, status, sizeof(status) - 1);
    close(fd);
    status[got > 0 ? got : 0] = '\0';
    line = strstr(status, field);
    if (line == NULL)
        return pid;
    line += strlen(field);
    last = memrchr(line, '\t', strcspn(line, "\n"));
    return last != NULL ? strtoll(last + 1, NULL, 10) : pid;
}

/* --- Reading them --- */

/* A walk over the lists of a process. */
struct list_visit {
    const struct jit_process *process;
    jit_take_list take;
    void *context;
    size_t names; /* that were read */
};

static int visit_list(struct list_visit *visit, int root_fd, const char *path,
                      enum jit_list_kind kind)
{
    FILE *file = open_list(visit->process, root_fd, path);
    size_t names = 0;

    if (file == NULL)
        return 0;
    int error = visit->take(visit->context, file, kind, &names);
    (void)fclose(file); /* it was only read */
    visit->names += names;
    return error;
}

/* As they are called by a process that calls itself PID and has its root at ROOT. */
static int visit_lists(struct list_visit *visit, const char *root, int64_t pid)
{
    char map[PATH_BYTES];
    int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), error;

    if (root_fd < 0)
        return 0;
    snprintf(map, sizeof(map), "/tmp/perf-%lld.map", (long long)pid);
    error = visit_list(visit, root_fd, map, JIT_PERF_MAP);
    if (error == 0 && visit->process->dump_path != NULL)
        error = visit_list(visit, root_fd, visit->process->dump_path, JIT_DUMP);
    close(root_fd);
    return error;
}

int jit_process_visit_lists(const struct jit_process *process, jit_take_list take, void *context)
{
    struct list_visit visit = { process, take, context, 0 };
    int64_t pid = gecko_real_pid(process->pid);
    int64_t pid_here = process->pid_here != 0 ? process->pid_here : pid;
    char root[PATH_BYTES];

    if (pid <= 0)
        return 0;
    snprintf(root, sizeof(root), "/proc/%lld/root", (long long)pid_here);
    int error = process->end_ms == 0 ? visit_lists(&visit, root, own_pid(pid_here)) : 0;
    if (error == 0 && visit.names == 0)
        error = visit_lists(&visit, "/", pid);
    return error;
}

/* Damaged lists give fewer names; only a lack of memory is an error. */
static int read_list(void *context, FILE *file, enum jit_list_kind kind, size_t *names)
{
    struct jit_code *code = context;
    size_t before = code->added;
    int error = kind == JIT_PERF_MAP ? jit_read_perf_map(file, code) : jit_read_dump(file, code);

    *names = code->added - before;
    return error == -ENOMEM ? error : 0;
}

static int read_archive(struct jit_process *process)
{
    static const enum jit_list_kind kinds[] = { JIT_PERF_MAP, JIT_DUMP };
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        FILE *file = process->archive->open(process->archive->context, process->pid, kinds[i]);
        size_t names;
        if (file == NULL)
            continue;
        error = read_list(&process->code, file, kinds[i], &names);
        (void)fclose(file); /* it was only read */
    }
    return error;
}

static int read_all(struct jit_process *process)
{
    process->is_read = true;
    jit_code_init(&process->code);
    return process->archive != NULL ? read_archive(process)
                                    : jit_process_visit_lists(process, read_list, &process->code);
}

bool jit_process_find(struct jit_process *process, uint64_t address, struct jit_function *out,
                      int *error)
{
    *error = process->is_read ? 0 : read_all(process);
    return *error == 0 && jit_code_find(&process->code, address, out);
}

void jit_process_clear(struct jit_process *process)
{
    if (process->is_read)
        jit_code_free(&process->code);
    free(process->dump_path);
    *process = (struct jit_process){ 0 };
}
