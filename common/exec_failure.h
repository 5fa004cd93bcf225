/* Why a program could not be executed, as shells say it.
 *
 * Safe between fork and exec. */
#ifndef PROFD_COMMON_EXEC_FAILURE_H
#define PROFD_COMMON_EXEC_FAILURE_H

/* ERROR (negative errno) is what execvp(3) said of NAME with PATH (NULL: there is none). It says
 * -EACCES also when a folder of PATH may not be entered and no other has NAME; that is -ENOENT. */
int exec_failure(int error, const char *name, const char *path);

#endif
