/* libexec/profctl-http: the commands of profctl that speak HTTP, which are export, query and view.
 *
 * The libraries that those need take four times as long to load as all others together, and profctl
 * is to be quick. So they are in a program of their own, of the same main and the same command
 * line. profctl has http_commands.c in their place. */
#ifndef PROFD_PROFCTL_HTTP_PROGRAM_H
#define PROFD_PROFCTL_HTTP_PROGRAM_H

#include "profctl/failure.h"

/* Runs it in our place with WORDS, a command line that begins with the program's name and ends with
 * NULL. Returns only when that cannot be done: the exit code, with FAILURE filled. */
int http_program_become(char *const *words, struct failure *failure);

/* Runs it as a child, and passes on what asks us to end. Returns its exit code, or that of FAILURE,
 * which is filled when it cannot be run; what it has to say it says itself. */
int http_program_run(char *const *words, struct failure *failure);

#endif
