#include "daemon/triggers/trigger_waiters.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/trigger.h"

struct trigger_waiter {
    struct client *client;
    uint64_t id;
    char cause[TRIGGER_NAME_BYTES];
    bool is_served;
    struct trigger_waiter *next;
};

int trigger_waiters_add(struct trigger_waiters *waiters, struct client *client, uint64_t id,
                        const char *cause)
{
    struct trigger_waiter *waiter = calloc(1, sizeof(*waiter));

    if (waiter == NULL)
        return -ENOMEM;
    waiter->client = client;
    waiter->id = id;
    waiter->next = waiters->first;
    snprintf(waiter->cause, sizeof(waiter->cause), "%s", cause);
    waiters->first = waiter;
    return 0;
}

void trigger_waiters_serve(struct trigger_waiters *waiters, const char *cause)
{
    for (struct trigger_waiter *waiter = waiters->first; waiter != NULL; waiter = waiter->next)
        waiter->is_served |= strcmp(waiter->cause, cause) == 0;
}

void trigger_waiters_release(struct trigger_waiters *waiters, enum trigger_waiters_kind kind,
                             trigger_waiters_answer *answer, void *context)
{
    struct trigger_waiter **link = &waiters->first;

    while (*link != NULL) {
        struct trigger_waiter *waiter = *link;
        if (waiter->is_served != (kind == WAITERS_SERVED)) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        answer(waiter->client, waiter->id, context);
        free(waiter);
    }
}

void trigger_waiters_forget(struct trigger_waiters *waiters, const struct client *client)
{
    struct trigger_waiter **link = &waiters->first;

    while (*link != NULL) {
        struct trigger_waiter *waiter = *link;
        if (waiter->client != client) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        free(waiter);
    }
}
