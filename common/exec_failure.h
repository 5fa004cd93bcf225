/* Why a program could not be executed, as shells report it.
 *
 * Safe between fork and exec. */
#ifndef PROFD_COMMON_EXEC_FAILURE_H
#define PROFD_COMMON_EXEC_FAILURE_H

/* Corrects ERROR, the negative errno of execvp(3) for NAME with PATH (NULL: not set). execvp(3)
 * also fails with EACCES if a folder in PATH cannot be searched and no other has NAME; that becomes
 * -ENOENT. */
int exec_failure(int error, const char *name, const char *path);

#endif
