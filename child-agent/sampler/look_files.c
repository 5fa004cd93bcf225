#include "child-agent/sampler/look_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 64, LEAST_DESCRIPTORS = 4 * LOOK_FILES_MOST };

void look_files_keep(struct look_files *files)
{
    struct rlimit limit;
    files->are_kept = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= LEAST_DESCRIPTORS;
}

static int open_file(struct profd_thread_id thread)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "/proc/self/task/%" PRIi32 "/syscall", thread.number);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_once(struct profd_thread_id thread, char *out, size_t bytes)
{
    int fd = open_file(thread);
    if (fd < 0)
        return -errno;
    ssize_t got = read(fd, out, bytes);
    if (got < 0)
        got = -errno;
    close(fd);
    return got;
}

static void close_file(struct look_file *file)
{
    if (file->thread.number != 0)
        close(file->fd);
    file->thread.number = 0;
}

/* The limit of descriptors is low by now. */
static void keep_none(struct look_files *files)
{
    for (size_t i = 0; i < LOOK_FILES_MOST; i++)
        close_file(&files->files[i]);
    files->are_kept = false;
}

/* The kept file of THREAD; NULL: it cannot be kept. */
static struct look_file *kept_file(struct look_files *files, struct profd_thread_id thread)
{
    struct look_file *file = &files->files[(uint32_t)thread.number % LOOK_FILES_MOST];
    if (file->thread.number == thread.number)
        return file;
    close_file(file);
    file->fd = open_file(thread);
    if (file->fd < 0 && errno == EMFILE)
        keep_none(files);
    if (file->fd < 0)
        return NULL;
    file->thread = thread;
    return file;
}

/* A file of a thread that is gone says nothing, also when another has its number by now. */
ssize_t look_files_read(struct look_files *files, struct profd_thread_id thread, char *out,
                        size_t bytes)
{
    struct look_file *file = files->are_kept ? kept_file(files, thread) : NULL;
    if (file == NULL)
        return read_once(thread, out, bytes);
    ssize_t got = pread(file->fd, out, bytes, 0);
    if (got > 0)
        return got;
    close_file(file);
    return read_once(thread, out, bytes);
}
