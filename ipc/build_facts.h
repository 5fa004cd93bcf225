/* What a profd or profctl was built from, for --version and for reports of faults. */
#ifndef PROFD_IPC_BUILD_FACTS_H
#define PROFD_IPC_BUILD_FACTS_H

#include <stdio.h>

/* Writes to OUT: a first line "PROGRAM VERSION", then a line for the commit, the compiler, the
 * versions of what is shared between processes, and the features that a session can have. 0, or
 * -EIO. */
int build_facts_print(FILE *out, const char *program);

#endif
