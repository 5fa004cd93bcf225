#include "child-agent/agent_updates.h"

#include <stdatomic.h>
#include <string.h>

#include "child-agent/core.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/sampler/look_alarm.h"
#include "common/apart.h"

static struct named_mutex lock = NAMED_MUTEX_INITIALIZER(UPDATES);
static LARGE_APART struct chunk_update pending;
/* Set before anything is written there; a forked child that has none does not touch it. */
static _Atomic bool may_have_pending;
static _Atomic bool is_awaited;

static bool has_update(void)
{
    return atomic_load(&may_have_pending) && pending.kind != CHUNK_UPDATE_NONE;
}

static void forget_pending(void)
{
    if (atomic_load(&may_have_pending))
        memset(&pending, 0, sizeof(pending));
    atomic_store(&may_have_pending, false);
}

bool agent_updates_await(void)
{
    named_mutex_lock(&lock);
    bool is_new = has_update();
    atomic_store(&is_awaited, !is_new);
    named_mutex_unlock(&lock);
    return !is_new;
}

void agent_updates_stop_awaiting(void)
{
    atomic_store(&is_awaited, false);
}

static void on_update(const struct chunk_update *update, void *context)
{
    (void)context;
    named_mutex_lock(&lock);
    atomic_store(&may_have_pending, true);
    /* An ordinary update after a final one belongs to a new session: it starts afresh. */
    if (chunk_update_fold(&pending, update) < 0)
        pending = *update;
    named_mutex_unlock(&lock);
    if (atomic_exchange(&is_awaited, false))
        look_alarm_wake();
}

void agent_updates_listen(struct chunk_manager *manager)
{
    chunk_manager_set_update_callback(manager, on_update, NULL);
}

bool agent_updates_take(struct chunk_update *out)
{
    named_mutex_lock(&lock);
    bool is_new = has_update();
    if (is_new) {
        *out = pending;
        out->dictionary_bytes = atomic_load(&core.arena.header->dictionary_used_bytes);
        forget_pending();
    }
    named_mutex_unlock(&lock);
    return is_new;
}

void agent_updates_reset(void)
{
    named_mutex_reset(&lock);
    atomic_store(&is_awaited, false);
    forget_pending();
}
