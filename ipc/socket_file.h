/* The socket file at which profd listens: its folder, lock and mode, and what a dead profd left
 * there.
 *
 * Plain system calls, no event loop; one thread. ipc/listener.h explains who may connect and why
 * the file's mode is 0666. */
#ifndef PROFD_IPC_SOCKET_FILE_H
#define PROFD_IPC_SOCKET_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/un.h>

struct socket_file {
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    int listening_fd; /* non-blocking, close-on-exec */
    int lock_fd;      /* holds the lock on PATH.lock */
    mode_t mode;      /* of the socket file */
    dev_t device;     /* … to recognise it */
    ino_t inode;
    bool is_lent; /* listening_fd and the file belong to a service manager */
};

/* Listens at PATH. If PATH is in /tmp/profd-UID, that folder is made with mode 0700 if it is
 * missing. Returns 0; -EPERM if it is not a folder, is not ours, or others may write to it;
 * -EADDRINUSE if a living profd listens at PATH, or two start at once; -EEXIST if PATH is not a
 * socket. The file of a dead profd is replaced. On failure nothing is held, and ERROR_TEXT has one
 * line for people. */
int socket_file_listen(struct socket_file *file, const char *path, char *error_text,
                       size_t error_text_bytes);

/* The same, but with file mode MODE instead of 0666. */
int socket_file_listen_as(struct socket_file *file, const char *path, mode_t mode, char *error_text,
                          size_t error_text_bytes);

/* Uses FD, a socket that is already listening, which a service manager made together with its file.
 * Takes over FD on every path. FILE's path becomes the absolute path to which FD is bound. Returns
 * -EINVAL if FD is not a Unix stream socket that listens at a path; otherwise as
 * socket_file_listen(). */
int socket_file_adopt(struct socket_file *file, int fd, char *error_text, size_t error_text_bytes);

/* Takes the lock only, to clean up what is beside PATH while nobody listens there. Returns a
 * descriptor; -EADDRINUSE while a profd holds the lock; or errors of open and flock. */
int socket_file_lock(const char *path);
void socket_file_unlock(const char *path, int lock_fd);

/* Stops listening, and removes the lock and the socket file, if it is still the one that was made
 * here. The socket of a service manager stays, and continues to accept connections for it. */
void socket_file_close(struct socket_file *file);

#endif
