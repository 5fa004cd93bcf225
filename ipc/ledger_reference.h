/* The file SOCKET.leases of a ledger that is not in it: it names the process that holds it.
 *
 * A sealed memfd (ipc/ledger_memfd.h) has no path; but as long as profd-keeper has it open, the
 * next profd can open it there. Plain system calls. */
#ifndef PROFD_IPC_LEDGER_REFERENCE_H
#define PROFD_IPC_LEDGER_REFERENCE_H

#include <sys/types.h>

/* Makes the file at PATH name descriptor FD of process HOLDER, which is the ledger that this
 * process has as FD. Replaces what was there, at once. Returns 0, -EPROTO if FD is not a ledger, or
 * the negative errno of writing. */
int ledger_reference_write(const char *path, pid_t holder, int fd);

/* Opens the ledger that the file in FD names. Returns 0 with *HELD_FD, which the caller owns, or
 * with -1 there if the file is not a reference; -ESTALE if nobody holds that ledger any more; or
 * another negative errno of opening. */
int ledger_reference_follow(int fd, int *held_fd);

#endif
