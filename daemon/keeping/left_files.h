/* The files beside profd's socket when profd has left its session and no other profd has taken it
 * over.
 *
 * While a profd holds the socket's lock, the files belong to that profd. Plain system calls. */
#ifndef PROFD_DAEMON_LEFT_FILES_H
#define PROFD_DAEMON_LEFT_FILES_H

#include <sys/stat.h>

struct left_files {
    const char *socket_path; /* borrowed; NULL: not known */
    dev_t device;            /* of the keeper's own socket, to recognise it … */
    ino_t inode;             /* … 0: it was not there */
};

/* Notes that the keeper's socket beside SOCKET_PATH is the one at which it listens. */
void left_files_note(struct left_files *files, const char *socket_path);

/* Removes that socket and, if the ledger beside it is over, the ledger and the session. */
void left_files_remove(const struct left_files *files);

#endif
