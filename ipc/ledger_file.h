/* The file of the lease ledger: beside profd's socket, as SOCKET.leases, so that an agent finds it
 * before it is connected, and a profd that takes the place of another one finds who holds what.
 *
 * Plain system calls. Agents use ledger_file_open() alone, profctl ledger_file_protocol_minor(). */
#ifndef PROFD_IPC_LEDGER_FILE_H
#define PROFD_IPC_LEDGER_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "buffer/lease_ledger.h"

#define LEDGER_FILE_SUFFIX ".leases"

enum { LEDGER_FILE_PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + 8 };

/* Maps the ledger of the profd at SOCKET_PATH, at most MOST_UNITS of it. No descriptor stays open.
 * -ENOENT without one; -EPERM when the file is neither ours nor root's (it would let a stranger
 * steer what we record); -EPROTO when it is none; -ESTALE when it is over. */
int ledger_file_open(const char *socket_path, uint32_t most_units, struct lease_ledger *out);

/* What the profd before left. */
enum ledger_past {
    LEDGER_PAST_NONE, /* no ledger */
    LEDGER_PAST_ADOPTED,
    /* One that is of no use, and was removed: */
    LEDGER_PAST_DAMAGED,   /* or of another version */
    LEDGER_PAST_ELSEWHERE, /* of another boot of the system, or another namespace of process ids */
    LEDGER_PAST_OVER,      /* nobody came in time */
};

/* For profd, which holds the lock of SOCKET_PATH: adopts the ledger that another profd left when it
 * was killed, or with ledger_file_leave(), or else makes a new one for LIMIT_BYTES; *PAST says
 * which. In both stands which protocol this profd understands. *FD is the caller's, for agents that
 * cannot open the path. Errors of open and as lease_ledger_create(). */
int ledger_file_make(const char *socket_path, uint64_t limit_bytes, struct lease_ledger *out,
                     int *fd, enum ledger_past *past);

/* The newest minor version of the protocol that the profd at SOCKET_PATH understands; 0, which all
 * do, when its ledger cannot be read. */
uint32_t ledger_file_protocol_minor(const char *socket_path);

/* For profd: lets who opens the file learn its process id (seen_profd_pid), by a lock on it. To be
 * said again now and then: the kernel takes the lock away with every copy of FD that is closed. 0
 * or -errno. */
int ledger_file_claim(struct lease_ledger *ledger, int fd);

/* Leaves the ledger and its file to the profd that is started next. At UNTIL_NS on CLOCK_MONOTONIC,
 * when none was, it is over. */
void ledger_file_leave(struct lease_ledger *ledger, uint64_t until_ns);

/* For who holds the lock of SOCKET_PATH: removes the file of a ledger that was left, if that is
 * over. 0, -EBUSY when it is not, or why it cannot be told. */
int ledger_file_remove_over(const char *socket_path);

/* The good end: marks the ledger as over and removes the file. */
void ledger_file_end(const char *socket_path, struct lease_ledger *ledger);

#endif
