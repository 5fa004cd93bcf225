/* Starts the session that a command line describes, with the captures of its triggers. */
#ifndef PROFD_PROFCTL_SESSION_START_H
#define PROFD_PROFCTL_SESSION_START_H

#include <stdbool.h>

#include "profctl/arguments/arguments.h"
#include "profctl/client/client.h"
#include "profctl/failure.h"

/* Makes profd start the session. Captures of triggers are written below our directory. WARNING (may
 * be NULL) receives profd's remark; "": none. Returns false with FAILURE filled, also if ARGUMENTS
 * contradict each other. */
bool session_start(struct client *client, const struct arguments *arguments,
                   char warning[CLIENT_TEXT_BYTES], struct failure *failure);

#endif
