#include "daemon/triggers/trigger_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct trigger_file {
    struct trigger_file *next;
    dev_t device;
    ino_t inode;
    struct timespec modified; /* an inode's number is given again */
    char name[];
};

static struct trigger_file *take_first(struct trigger_files *files)
{
    struct trigger_file *file = files->first;

    files->first = file->next;
    if (files->first == NULL)
        files->last = NULL;
    files->count--;
    return file;
}

static void append_file(struct trigger_files *files, struct trigger_file *file)
{
    file->next = NULL;
    if (files->last != NULL)
        files->last->next = file;
    else
        files->first = file;
    files->last = file;
    files->count++;
}

/* A pattern may give one name twice: the newer file took the place of the older. */
static void forget_name(struct trigger_files *files, const char *name)
{
    struct trigger_files others = { 0 };

    while (files->first != NULL) {
        struct trigger_file *file = take_first(files);
        if (strcmp(file->name, name) == 0)
            free(file);
        else
            append_file(&others, file);
    }
    *files = others;
}

int trigger_files_add(struct trigger_files *files, int directory_fd, const char *name)
{
    struct stat status;
    size_t bytes = strlen(name) + 1;

    if (fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    struct trigger_file *file = malloc(sizeof(*file) + bytes);
    if (file == NULL)
        return -ENOMEM;
    *file = (struct trigger_file){ .device = status.st_dev,
                                   .inode = status.st_ino,
                                   .modified = status.st_mtim };
    memcpy(file->name, name, bytes);
    forget_name(files, name);
    append_file(files, file);
    return 0;
}

static bool is_same(const struct trigger_file *file, const struct stat *status)
{
    return status->st_dev == file->device && status->st_ino == file->inode &&
           status->st_mtim.tv_sec == file->modified.tv_sec &&
           status->st_mtim.tv_nsec == file->modified.tv_nsec;
}

static int remove_file(int directory_fd, const struct trigger_file *file)
{
    struct stat status;

    if (fstatat(directory_fd, file->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (!is_same(file, &status))
        return 0; /* somebody put another one there */
    return unlinkat(directory_fd, file->name, 0) == 0 || errno == ENOENT ? 0 : -errno;
}

int trigger_files_limit(struct trigger_files *files, int directory_fd, uint64_t most)
{
    int first_error = 0;

    while (files->count > most) {
        struct trigger_file *file = take_first(files);
        int error = remove_file(directory_fd, file);
        if (first_error == 0)
            first_error = error;
        free(file);
    }
    return first_error;
}

void trigger_files_forget(struct trigger_files *files)
{
    while (files->first != NULL)
        free(take_first(files));
}
