#include "profctl/export/spool_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char lock_name[] = "lock";

static int make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);

    if (length >= sizeof(part))
        return -ENAMETOOLONG;
    memcpy(part, path, length + 1);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(part, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static int check_owner(struct spool_folder *folder)
{
    struct stat status;

    if (fstat(folder->directory, &status) < 0)
        return -errno;
    folder->is_of_another = status.st_uid != geteuid();
    folder->is_open_to_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return folder->is_of_another || folder->is_open_to_others ? -EPERM : 0;
}

static int take_lock(struct spool_folder *folder)
{
    struct stat status;

    folder->lock = openat(folder->directory, lock_name,
                          O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    int error = folder->lock < 0 || fstat(folder->lock, &status) < 0 ? -errno
                : S_ISREG(status.st_mode)                            ? 0
                                                                     : -ENXIO;
    folder->is_lock_refused = error == -EISDIR || error == -ELOOP || error == -ENXIO;
    if (error < 0)
        return error;
    return flock(folder->lock, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}

int spool_folder_open(const char *path, struct spool_folder *folder)
{
    *folder = (struct spool_folder){ .path = strdup(path), .directory = -1, .lock = -1 };
    int error = folder->path != NULL ? make_folders(path) : -ENOMEM;

    if (error < 0)
        return error;
    folder->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->directory < 0)
        return -errno;
    error = check_owner(folder);
    return error < 0 ? error : take_lock(folder);
}

void spool_folder_close(struct spool_folder *folder)
{
    if (folder->lock >= 0)
        close(folder->lock);
    if (folder->directory >= 0)
        close(folder->directory);
    free(folder->path);
}

bool spool_folder_is_gone(const struct spool_folder *folder)
{
    struct stat status;

    return fstat(folder->directory, &status) == 0 && status.st_nlink == 0;
}

int spool_folder_renew(struct spool_folder *folder)
{
    struct spool_folder next;
    int error = spool_folder_open(folder->path, &next);

    if (error < 0) {
        spool_folder_close(&next);
        return error;
    }
    spool_folder_close(folder);
    *folder = next;
    return 0;
}
