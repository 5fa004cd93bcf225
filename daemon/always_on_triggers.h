/* The triggers of the session that is always on, as options and config say. Pure. */
#ifndef PROFD_DAEMON_ALWAYS_ON_TRIGGERS_H
#define PROFD_DAEMON_ALWAYS_ON_TRIGGERS_H

#include <stddef.h>

#include "common/trigger.h"

/* Zeroed: there are none. */
struct always_on_triggers {
    struct trigger triggers[TRIGGERS_MAX];
    size_t count;
    const char *output; /* pattern of their captures' names; NULL: the usual one */
};

/* Adds the trigger TEXT. 0, or -EINVAL with what is wrong in *REFUSAL: "is …", "needs …". */
int always_on_triggers_add(struct always_on_triggers *always_on, const char *text,
                           const char **refusal);

#endif
