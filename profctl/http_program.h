/* libexec/profctl-http: the commands of profctl that use HTTP, which are export, query and view.
 *
 * The libraries that they need take four times as long to load as all others together, and profctl
 * has to start quickly. So these commands are in a separate program with the same main and the same
 * command line. profctl has http_commands.c in their place. */
#ifndef PROFD_PROFCTL_HTTP_PROGRAM_H
#define PROFD_PROFCTL_HTTP_PROGRAM_H

#include "profctl/failure.h"

/* Replaces this process by the program, run with WORDS, a command line that begins with the
 * program's name and ends with NULL. Returns only if that fails: the exit code, with FAILURE
 * filled. */
int http_program_become(char *const *words, struct failure *failure);

/* Runs the program as a child and passes on signals that ask us to end. Returns its exit code, or
 * that of FAILURE, which is filled if the program cannot be run. The program prints its own
 * messages. */
int http_program_run(char *const *words, struct failure *failure);

#endif
