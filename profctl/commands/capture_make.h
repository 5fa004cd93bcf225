/* A capture from request to finished file: profd's raw JSON, then names, then the file in place. */
#ifndef PROFD_PROFCTL_CAPTURE_MAKE_H
#define PROFD_PROFCTL_CAPTURE_MAKE_H

#include <stdbool.h>

#include "profctl/arguments/arguments.h"
#include "profctl/capture/capture_file.h"
#include "profctl/client/client.h"
#include "profctl/naming/symbolicate.h"

struct capture_summary {
    struct capture_result result;
    struct capture_counts counts;
};

/* Asks profd for a capture (STOP ends the session with it) and makes FILE, which was prepared, from
 * it. A bar shows progress on a terminal unless ARGUMENTS say quiet. */
bool capture_make(struct client *client, struct capture_file *file,
                  const struct arguments *arguments, bool stop, struct capture_summary *summary,
                  struct failure *failure);

/* Tells what was made, on standard error, or as JSON on standard output. Returns EXIT_CODE_SUCCESS,
 * or EXIT_CODE_INCOMPLETE when something is missing and ARGUMENTS say strict. */
int capture_tell(const struct capture_file *file, const struct arguments *arguments,
                 const struct capture_summary *summary);

#endif
