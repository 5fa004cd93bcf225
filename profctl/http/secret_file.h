/* Passwords and tokens, which stand in files, so that no list of processes shows them. */
#ifndef PROFD_PROFCTL_SECRET_FILE_H
#define PROFD_PROFCTL_SECRET_FILE_H

#include <stdbool.h>

#include "profctl/failure.h"

enum { SECRET_BYTES = 4096 };

/* The first line of the file at PATH, in SECRET, which its owner wipes. WHAT, as "the password",
 * names it. False with FAILURE filled. */
bool secret_file_read(const char *path, const char *what, char secret[SECRET_BYTES],
                      struct failure *failure);

#endif
