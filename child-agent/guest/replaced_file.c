#include "child-agent/guest/replaced_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0666 }; /* less the umask */

/* The folder of PATH, with the slash at its end; "" is the working directory. */
static int folder_of(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    if (length >= PATH_MAX)
        return -ENAMETOOLONG;
    memcpy(out, path, length);
    out[length] = '\0';
    return 0;
}

int replaced_file_check(const char *path)
{
    char folder[PATH_MAX];
    struct stat status;
    int error = folder_of(path, folder);
    if (error < 0)
        return error;
    if (faccessat(AT_FDCWD, folder[0] != '\0' ? folder : ".", W_OK | X_OK, AT_EACCESS) < 0)
        return -errno;
    if (stat(path, &status) < 0)
        return errno == ENOENT ? 0 : -errno;
    return S_ISREG(status.st_mode) ? 0 : -EINVAL;
}

static int open_temporary(const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(path, flags, FILE_MODE);
    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, FILE_MODE); /* of one with our process id that was killed here */
    return fd < 0 ? -errno : fd;
}

int replaced_file_begin(struct replaced_file *file, const char *path)
{
    char folder[PATH_MAX];
    file->fd = -1;
    int error = replaced_file_check(path);
    if (error == 0)
        error = folder_of(path, folder);
    if (error < 0)
        return error;
    int length =
        snprintf(file->temporary, sizeof(file->temporary), "%s.profd-%d", folder, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof(file->temporary) ||
        strlen(path) >= sizeof(file->path))
        return -ENAMETOOLONG;
    strcpy(file->path, path);
    file->fd = open_temporary(file->temporary);
    return file->fd < 0 ? file->fd : 0;
}

int replaced_file_commit(struct replaced_file *file)
{
    int error = close(file->fd) < 0 ? -errno : 0; /* where some file systems tell of a full disk */
    file->fd = -1;
    if (error == 0 && rename(file->temporary, file->path) < 0)
        error = -errno;
    if (error < 0)
        (void)unlink(file->temporary); /* the first error counts */
    return error;
}

void replaced_file_abandon(struct replaced_file *file)
{
    if (file->fd < 0)
        return;
    close(file->fd);
    file->fd = -1;
    (void)unlink(file->temporary); /* it may be gone already */
}
