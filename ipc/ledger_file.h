/* The file of the lease ledger. It is beside profd's socket, as SOCKET.leases, so that an agent
 * finds it before it is connected, and a profd that takes the place of another one finds out who
 * holds what.
 *
 * Who maps a file can truncate it, which would end everybody else who does. So only a profd whose
 * programs are all of one user has the ledger in that file. With programs of every user it is a
 * sealed memfd, which agents get when they connect, and the file says where the next profd finds it
 * (ipc/ledger_reference.h).
 *
 * Plain system calls. Agents use only ledger_file_open(), profctl only
 * ledger_file_protocol_minor(). */
#ifndef PROFD_IPC_LEDGER_FILE_H
#define PROFD_IPC_LEDGER_FILE_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "buffer/lease_ledger.h"

#define LEDGER_FILE_SUFFIX ".leases"

enum { LEDGER_FILE_PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + 8 };

/* Maps the ledger of the profd at SOCKET_PATH, up to MOST_UNITS of it. No descriptor stays open.
 * Returns 0; -ENOENT if there is none; -EPERM if the file belongs neither to us nor to root (a
 * stranger could control what we record); -EPROTO if it is not a ledger; -ESTALE if it is over, or
 * nobody holds it any more. */
int ledger_file_open(const char *socket_path, uint32_t most_units, struct lease_ledger *out);

/* What the previous profd left. */
enum ledger_past {
    LEDGER_PAST_NONE, /* no ledger */
    LEDGER_PAST_ADOPTED,
    /* A ledger that cannot be used, and was removed: */
    LEDGER_PAST_DAMAGED,   /* or of another version */
    LEDGER_PAST_ELSEWHERE, /* of another boot of the system, or another pid namespace */
    LEDGER_PAST_OVER,      /* no profd came in time */
    LEDGER_PAST_LOST,      /* profd-keeper, which held it, has ended */
};

/* Where a new ledger is. */
enum ledger_place {
    LEDGER_IN_FILE,
    LEDGER_SEALED, /* in a memfd; the file is written by ledger_file_refer() */
};

/* For a profd that holds the lock of SOCKET_PATH: adopts the ledger that another profd left when it
 * was killed, or by ledger_file_leave(), wherever it is, or else creates one for LIMIT_BYTES at
 * PLACE; *PAST says which. Writes into it which protocol this profd understands. The caller owns
 * *FD, which is for agents that cannot open the path. Returns 0, or errors of open, memfd_create
 * and lease_ledger_create(). */
int ledger_file_make(const char *socket_path, uint64_t limit_bytes, enum ledger_place place,
                     struct lease_ledger *out, int *fd, enum ledger_past *past);

/* For the keeper of a sealed ledger: makes the file beside SOCKET_PATH name descriptor FD of
 * process HOLDER. Returns errors of ledger_reference_write(). */
int ledger_file_refer(const char *socket_path, pid_t holder, int fd);

/* The newest minor version of the protocol that the profd at SOCKET_PATH understands; 0, which
 * every profd understands, if its ledger cannot be read. */
uint32_t ledger_file_protocol_minor(const char *socket_path);

/* For profd: locks the file, so that whoever opens it can learn profd's process id
 * (seen_profd_pid). To be repeated from time to time, since the kernel drops the lock whenever a
 * copy of FD is closed. Returns 0 or a negative errno. */
int ledger_file_claim(struct lease_ledger *ledger, int fd);

/* Leaves the ledger and its file to the next profd. If none has been started by UNTIL_NS on
 * CLOCK_MONOTONIC, the ledger is over. */
void ledger_file_leave(struct lease_ledger *ledger, uint64_t until_ns);

/* For a holder of the lock of SOCKET_PATH: removes the file of a ledger that was left, if it is
 * over. Returns 0, -EBUSY if it is not over, or the negative errno of finding out. */
int ledger_file_remove_over(const char *socket_path);

/* Marks the ledger as over and removes the file, when profd ends normally. */
void ledger_file_end(const char *socket_path, struct lease_ledger *ledger);

#endif
