/* The triggers of the session that is always on, from the options and the config. Pure. */
#ifndef PROFD_DAEMON_ALWAYS_ON_TRIGGERS_H
#define PROFD_DAEMON_ALWAYS_ON_TRIGGERS_H

#include <stddef.h>

#include "common/trigger.h"

/* A zeroed one has no triggers. */
struct always_on_triggers {
    struct trigger triggers[TRIGGERS_MAX];
    size_t count;
    const char *output; /* pattern for the names of their captures; NULL: the default */
};

/* Adds the trigger TEXT. Returns 0, or -EINVAL with the reason in *REFUSAL, as a phrase that
 * follows the trigger's text: "is …", "needs …". */
int always_on_triggers_add(struct always_on_triggers *always_on, const char *text,
                           const char **refusal);

#endif
