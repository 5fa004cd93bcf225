#include "daemon/always_on_triggers.h"

#include <errno.h>
#include <string.h>

static int set_refusal(const char **refusal, const char *text)
{
    *refusal = text;
    return -EINVAL;
}

/* Markers are told to agents with the session that they are for, and there may be two. */
int always_on_triggers_add(struct always_on_triggers *always_on, const char *text,
                           const char **refusal)
{
    static const char marker[] = "marker:";
    struct trigger *trigger = &always_on->triggers[always_on->count];

    if (always_on->count == TRIGGERS_MAX)
        return set_refusal(refusal, "exceeds the limit of 16 triggers");
    if (strncmp(text, marker, strlen(marker)) == 0)
        return set_refusal(refusal, "needs a session of its own; see profctl start --help");
    if (trigger_parse(text, strlen(text), trigger) < 0)
        return set_refusal(refusal, "is not one of signal, exit, SIGUSR2, jank:TIME, delay:TIME, "
                                    "cpu:PERCENT%/TIME and name:NAME");
    always_on->count++;
    return 0;
}
