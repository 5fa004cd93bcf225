/* The sealed ledger that a keeper holds, which is in no file: whether anybody records by it. */
#ifndef PROFD_DAEMON_KEPT_LEDGER_H
#define PROFD_DAEMON_KEPT_LEDGER_H

#include <stdbool.h>

/* Whether a process that has a lease in the ledger FD (-1: there is none) is alive, as far as is
 * known: of those in other pid namespaces nothing is. Makes system calls. */
bool kept_ledger_has_living(int fd);

#endif
