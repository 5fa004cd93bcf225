/* Converts the options of a program's session to settings. Pure. */
#ifndef PROFD_AGENT_SESSION_OPTIONS_H
#define PROFD_AGENT_SESSION_OPTIONS_H

#include "child-agent/session_settings.h"
#include "profd_session.h"

/* Converts OPTIONS (NULL: none) to the settings of a session of the process's own. Returns 0, or
 * -EINVAL, with *OUT undefined, if an option makes no sense. */
int session_options_read(const struct profd_session_options *options, struct session_settings *out);

#endif
