/* The session that a command line asks for, with the captures of its triggers. */
#ifndef PROFD_PROFCTL_SESSION_START_H
#define PROFD_PROFCTL_SESSION_START_H

#include <stdbool.h>

#include "profctl/arguments/arguments.h"
#include "profctl/client/client.h"
#include "profctl/failure.h"

/* Has profd begin it. What triggers write goes below our directory. WARNING (may be NULL) gets
 * profd's remark; "" none. False with FAILURE filled, also when ARGUMENTS contradict themselves. */
bool session_start(struct client *client, const struct arguments *arguments,
                   char warning[CLIENT_TEXT_BYTES], struct failure *failure);

#endif
