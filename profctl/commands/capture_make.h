/* Makes a capture, from the request to the finished file: gets the raw JSON from profd, adds names,
 * and puts the file in place. */
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

/* Requests a capture from profd (STOP ends the session with it) and makes FILE, which was prepared,
 * from it. A progress bar is shown on a terminal unless ARGUMENTS say quiet. Returns false with
 * FAILURE filled. */
bool capture_make(struct client *client, struct capture_file *file,
                  const struct arguments *arguments, bool stop, struct capture_summary *summary,
                  struct failure *failure);

/* Reports what was made, on standard error, or as JSON on standard output. Returns
 * EXIT_CODE_SUCCESS, or EXIT_CODE_INCOMPLETE if something is missing and ARGUMENTS say strict. */
int capture_tell(const struct capture_file *file, const struct arguments *arguments,
                 const struct capture_summary *summary);

#endif
