/* The socket file where profd listens: its folder, its lock, its mode, and what a dead profd left
 * there.
 *
 * Plain system calls, no event loop; for one thread. ipc/connection.h says who may connect and why
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
    dev_t device;     /* … to know it again */
    ino_t inode;
    bool is_lent; /* listening_fd came from a service manager, whose the socket file is */
};

/* Listens at PATH. When PATH is in /tmp/profd-UID, that folder is made with mode 0700 if it is
 * missing, and -EPERM if it is no folder, not ours, or open to others' writing. -EADDRINUSE when a
 * living profd has it or two start at once; a dead one's file is replaced; -EEXIST when PATH is
 * something else than a socket. On failure nothing is held and ERROR_TEXT has one line for people.
 */
int socket_file_listen(struct socket_file *file, const char *path, char *error_text,
                       size_t error_text_bytes);

/* The same with a file of MODE instead of 0666. */
int socket_file_listen_as(struct socket_file *file, const char *path, mode_t mode, char *error_text,
                          size_t error_text_bytes);

/* Listens with FD, which listens already: a service manager made it and its file. Takes over FD on
 * every path. FILE's path is the absolute one that FD is bound to. -EINVAL when FD is no Unix
 * stream socket that listens at a path; else as socket_file_listen(). */
int socket_file_adopt(struct socket_file *file, int fd, char *error_text, size_t error_text_bytes);

/* The lock alone, for who looks after what is beside PATH while nobody listens there: a descriptor,
 * or -EADDRINUSE while a profd has it; errors of open and flock. */
int socket_file_lock(const char *path);
void socket_file_unlock(const char *path, int lock_fd);

/* Stops listening; removes the socket file, if it is still the one that was made here, and the
 * lock. One that a service manager made stays, and keeps taking connections for it. */
void socket_file_close(struct socket_file *file);

#endif
