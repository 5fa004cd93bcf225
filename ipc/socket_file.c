#include "ipc/socket_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/socket.h"

enum {
    LOCK_PATH_BYTES = sizeof(((struct socket_file *)0)->path) + sizeof(".lock"),
    LOCK_ATTEMPTS = 16,   /* each lost one means that another profd ended just then … */
    LOCK_PAUSE_US = 1000, /* … or has the lock; profd-keeper has it for a moment */
};

enum { USUAL_MODE = 0666 };

struct error_text {
    char *bytes;
    size_t capacity;
};

__attribute__((format(printf, 3, 4))) static int fail(struct error_text *text, int error,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->bytes, text->capacity, format, arguments);
    va_end(arguments);
    return error;
}

/* --- the default folder --- */

static bool is_in_folder(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' &&
           strchr(path + length + 1, '/') == NULL;
}

static int prepare_default_folder(const char *path, struct error_text *text)
{
    char folder[sizeof("/tmp/profd-4294967295")];
    snprintf(folder, sizeof(folder), "/tmp/profd-%u", (unsigned)geteuid());
    if (!is_in_folder(path, folder))
        return 0;
    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        return fail(text, -errno, "cannot make %s: %s", folder, strerror(errno));

    struct stat status;
    if (lstat(folder, &status) < 0)
        return fail(text, -errno, "cannot check %s: %s", folder, strerror(errno));
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 0022) != 0)
        return fail(text, -EPERM,
                    "%s is not a directory that only this user can write to: remove it, or "
                    "choose another path",
                    folder);
    return 0;
}

/* --- the lock --- */

static void lock_path_of(const char *path, char out[LOCK_PATH_BYTES])
{
    snprintf(out, LOCK_PATH_BYTES, "%s.lock", path);
}

/* The owner of a lock removes its file when it ends; a lock on a removed file is worth nothing. */
static bool is_file_at(int fd, const char *path)
{
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

static int take_lock(const char *path, struct error_text *text)
{
    char lock_path[LOCK_PATH_BYTES];
    lock_path_of(path, lock_path);
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
        int fd = open(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
            return fail(text, -errno, "cannot open %s: %s", lock_path, strerror(errno));
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            int error = errno;
            close(fd);
            if (error != EWOULDBLOCK)
                return fail(text, -error, "cannot lock %s: %s", lock_path, strerror(error));
            usleep(LOCK_PAUSE_US);
            continue;
        }
        if (is_file_at(fd, lock_path))
            return fd;
        close(fd);
    }
    return fail(text, -EADDRINUSE,
                "another profd listens at %s: use that one, or choose another path", path);
}

/* --- the socket --- */

static int remove_dead_socket(const char *path, struct error_text *text)
{
    struct stat status;
    if (lstat(path, &status) < 0)
        return errno == ENOENT ? 0
                               : fail(text, -errno, "cannot check %s: %s", path, strerror(errno));
    if (!S_ISSOCK(status.st_mode))
        return fail(text, -EEXIST, "%s exists and is not a socket; it was left unchanged", path);

    int fd = socket_connect(path, 0);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 || fd == -EAGAIN)
        return fail(text, -EADDRINUSE, "another program listens at %s", path);
    if (fd != -ECONNREFUSED)
        return fail(text, fd, "cannot find out who listens at %s: %s", path, strerror(-fd));
    if (unlink(path) < 0)
        return fail(text, -errno, "cannot remove the dead socket %s: %s", path, strerror(errno));
    return 0;
}

/* Connecting is refused until listen(), so nobody gets in before the mode is right. */
static int bind_and_listen(struct socket_file *file)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    memcpy(address.sun_path, file->path, sizeof(address.sun_path));
    if (bind(file->listening_fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;

    struct stat status;
    if (fchmodat(AT_FDCWD, file->path, file->mode, AT_SYMLINK_NOFOLLOW) < 0 ||
        lstat(file->path, &status) < 0 || listen(file->listening_fd, SOMAXCONN) < 0) {
        int error = -errno;
        unlink(file->path);
        return error;
    }
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return 0;
}

static int open_socket(struct socket_file *file, struct error_text *text)
{
    int error = remove_dead_socket(file->path, text);
    if (error < 0)
        return error;
    file->listening_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file->listening_fd < 0)
        return fail(text, -errno, "cannot make a socket: %s", strerror(errno));
    error = bind_and_listen(file);
    if (error < 0) {
        close(file->listening_fd);
        return fail(text, error, "cannot listen at %s: %s", file->path, strerror(-error));
    }
    return 0;
}

int socket_file_lock(const char *path)
{
    char ignored[LOCK_PATH_BYTES];
    struct error_text text = { .bytes = ignored, .capacity = sizeof(ignored) };
    return take_lock(path, &text);
}

void socket_file_unlock(const char *path, int lock_fd)
{
    char lock_path[LOCK_PATH_BYTES];
    lock_path_of(path, lock_path);
    unlink(lock_path);
    close(lock_fd);
}

int socket_file_listen(struct socket_file *file, const char *path, char *error_text,
                       size_t error_text_bytes)
{
    return socket_file_listen_as(file, path, USUAL_MODE, error_text, error_text_bytes);
}

int socket_file_listen_as(struct socket_file *file, const char *path, mode_t mode, char *error_text,
                          size_t error_text_bytes)
{
    struct error_text text = { .bytes = error_text, .capacity = error_text_bytes };
    if (strlen(path) >= sizeof(file->path))
        return fail(&text, -ENAMETOOLONG, "%s is too long for a socket: at most %zu bytes", path,
                    sizeof(file->path) - 1);
    *file = (struct socket_file){ .listening_fd = -1, .lock_fd = -1, .mode = mode };
    strcpy(file->path, path);

    int error = prepare_default_folder(path, &text);
    if (error < 0)
        return error;
    file->lock_fd = take_lock(path, &text);
    if (file->lock_fd < 0)
        return file->lock_fd;
    error = open_socket(file, &text);
    if (error < 0)
        socket_file_unlock(file->path, file->lock_fd);
    return error;
}

/* The path that FD listens at, as a Unix stream socket. */
static int listening_path(int fd, char out[sizeof(((struct socket_file *)0)->path)])
{
    struct sockaddr_un address = { 0 };
    socklen_t length = sizeof(address), value_bytes = sizeof(int);
    int type = 0, listens = 0;

    if (getsockname(fd, (struct sockaddr *)&address, &length) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &value_bytes) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &value_bytes) < 0)
        return -errno;
    if (address.sun_family != AF_UNIX || type != SOCK_STREAM || !listens ||
        address.sun_path[0] != '/' ||
        memchr(address.sun_path, '\0', sizeof(address.sun_path)) == NULL)
        return -EINVAL;
    strcpy(out, address.sun_path);
    return 0;
}

int socket_file_adopt(struct socket_file *file, int fd, char *error_text, size_t error_text_bytes)
{
    struct error_text text = { .bytes = error_text, .capacity = error_text_bytes };
    *file = (struct socket_file){ .listening_fd = fd, .lock_fd = -1, .is_lent = true };

    int error = listening_path(fd, file->path);
    if (error < 0) {
        fail(&text, error, "descriptor %d is not a Unix socket that listens at an absolute path",
             fd);
        goto cleanup;
    }
    if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
        error = fail(&text, -errno, "cannot listen with descriptor %d: %s", fd, strerror(errno));
        goto cleanup;
    }
    file->lock_fd = take_lock(file->path, &text);
    error = file->lock_fd < 0 ? file->lock_fd : 0;

cleanup:
    if (error < 0)
        close(fd);
    return error;
}

void socket_file_close(struct socket_file *file)
{
    struct stat status;
    if (!file->is_lent && lstat(file->path, &status) == 0 && status.st_dev == file->device &&
        status.st_ino == file->inode)
        unlink(file->path);
    close(file->listening_fd);
    socket_file_unlock(file->path, file->lock_fd);
}
