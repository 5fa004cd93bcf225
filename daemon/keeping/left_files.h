/* What stands beside profd's socket when profd has left its session and no other came for it.
 *
 * While a profd holds the socket's lock all of it is that one's. Plain system calls. */
#ifndef PROFD_DAEMON_LEFT_FILES_H
#define PROFD_DAEMON_LEFT_FILES_H

#include <sys/stat.h>

struct left_files {
    const char *socket_path; /* borrowed; NULL: not known */
    dev_t device;            /* of the keeper's own socket, to know it again … */
    ino_t inode;             /* … 0: it was not there */
};

/* The keeper's socket beside SOCKET_PATH is the one that it listens at. */
void left_files_note(struct left_files *files, const char *socket_path);

/* Removes that socket and, if the ledger there is over, ledger and session. */
void left_files_remove(const struct left_files *files);

#endif
