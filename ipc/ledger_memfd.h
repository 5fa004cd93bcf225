/* The memory of a ledger that is in no file: a memfd that those who map it cannot truncate. Plain
 * system calls. */
#ifndef PROFD_IPC_LEDGER_MEMFD_H
#define PROFD_IPC_LEDGER_MEMFD_H

#include <stdbool.h>

/* Returns the descriptor of an empty one, which is not sealed yet, or a negative errno. */
int ledger_memfd_create(void);

/* Seals its size. Returns 0 or a negative errno. */
int ledger_memfd_seal(int fd);

/* Returns whether FD is sealed; false for a file. */
bool ledger_memfd_is_sealed(int fd);

/* Returns whether PATH, in /proc, leads to a memfd of that name: opening something else that a
 * process may have there could do something. */
bool ledger_memfd_is_at(const char *path);

#endif
