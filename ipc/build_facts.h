/* What profd or profctl was built from, for --version and bug reports. */
#ifndef PROFD_IPC_BUILD_FACTS_H
#define PROFD_IPC_BUILD_FACTS_H

#include <stdio.h>

/* Writes to OUT a first line "PROGRAM VERSION", then one line each for the commit, the compiler,
 * the versions of what processes share, and the features that a session can have. Returns 0 or
 * -EIO. */
int build_facts_print(FILE *out, const char *program);

#endif
