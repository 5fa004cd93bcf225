/* The options of a program's session as settings. Pure. */
#ifndef PROFD_AGENT_SESSION_OPTIONS_H
#define PROFD_AGENT_SESSION_OPTIONS_H

#include "child-agent/session_settings.h"
#include "profd_session.h"

/* Settings of an own session as OPTIONS (NULL: none) has them. 0, or -EINVAL for one that makes no
 * sense; *OUT means nothing then. */
int session_options_read(const struct profd_session_options *options, struct session_settings *out);

#endif
