#include "daemon/session_parts.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct session_owner session_owner_always_on = { SESSION_OWNER_PROFD, 0 };
const struct session_owner session_owner_user = { SESSION_OWNER_USER, 0 };

const char *session_owner_name(enum session_owner_kind kind)
{
    static const char *const names[] = {
#define X(name, text) [SESSION_OWNER_##name] = text,
        SESSION_OWNERS(X)
#undef X
    };
    return names[kind];
}

bool session_owner_is(const struct session_owner *a, const struct session_owner *b)
{
    return a->kind == b->kind && a->pid == b->pid;
}

const struct session_part *session_parts_find(const struct session_parts *parts,
                                              const struct session_owner *owner)
{
    for (unsigned i = 0; i < parts->count; i++) {
        if (session_owner_is(&parts->items[i].owner, owner))
            return &parts->items[i];
    }
    return NULL;
}

/* --- Beside one another --- */

/* Ticks of the wall clock sample in another way: not more of the same, but something else. */
static bool are_clocks_at_odds(const struct session_settings *a, const struct session_settings *b)
{
    return (a->clock == SAMPLING_CLOCK_WALL) != (b->clock == SAMPLING_CLOCK_WALL);
}

int session_parts_check(const struct session_parts *parts, const struct session_owner *owner,
                        const struct session_settings *settings, const char **refusal)
{
    *refusal = NULL;
    if (session_parts_find(parts, owner) != NULL) {
        *refusal = owner->kind == SESSION_OWNER_USER
                       ? "a session is already active; end it with 'profctl stop'"
                       : "the program already has a session";
        return -EALREADY;
    }
    if (parts->count == SESSION_PARTS_MOST)
        *refusal = "two sessions are already active; end one with 'profctl stop'";
    else if (parts->count > 0 && are_clocks_at_odds(&parts->items[0].settings, settings))
        *refusal = "--clock wall and another clock cannot be combined; use the active session's "
                   "kind of clock";
    return *refusal != NULL ? -EBUSY : 0;
}

void session_parts_add(struct session_parts *parts, const struct session_owner *owner,
                       const struct session_settings *settings, uint64_t since_ns)
{
    assert(parts->count < SESSION_PARTS_MOST);
    struct session_part *part = &parts->items[parts->count++];
    part->owner = *owner;
    part->since_ns = since_ns;
    part->settings = *settings;
}

void session_parts_change(struct session_parts *parts, const struct session_owner *owner,
                          const struct session_settings *settings)
{
    const struct session_part *part = session_parts_find(parts, owner);

    assert(part != NULL);
    parts->items[part - parts->items].settings = *settings;
}

int session_parts_remove(struct session_parts *parts, const struct session_owner *owner)
{
    const struct session_part *part = session_parts_find(parts, owner);

    if (part == NULL)
        return -ESRCH;
    size_t at = (size_t)(part - parts->items);
    parts->count--;
    memmove(&parts->items[at], &parts->items[at + 1], (parts->count - at) * sizeof(*part));
    return 0;
}

/* --- One recording for all --- */

/* AUTO leaves the choice to the other; perf's events are the finer of the rest. */
static enum sampling_clock finer_clock(enum sampling_clock a, enum sampling_clock b)
{
    if (a == SAMPLING_CLOCK_AUTO)
        return b;
    return b == SAMPLING_CLOCK_PERF ? b : a;
}

/* Those that either names; where a list would be too long, all threads. */
static void join_filters(char *into, const char *more)
{
    size_t length = strlen(into), more_length = strlen(more);

    if (length == 0 || strcmp(into, more) == 0)
        return;
    if (more_length == 0 || length + 1 + more_length > MESSAGE_MAX_FILTERS) {
        into[0] = '\0';
        return;
    }
    into[length] = ',';
    memcpy(into + length + 1, more, more_length + 1);
}

/* Between sampled allocations; UINT64_MAX: SETTINGS want none sampled. */
static uint64_t sampled_bytes(const struct session_settings *settings)
{
    if (!(settings->features & FEATURE_NATIVEALLOCS))
        return UINT64_MAX;
    return settings->allocation_interval_bytes != 0 ? settings->allocation_interval_bytes
                                                    : MESSAGE_DEFAULT_ALLOCATION_BYTES;
}

static void fold_allocations(struct session_settings *into, const struct session_settings *more)
{
    if (sampled_bytes(more) < sampled_bytes(into))
        into->allocation_interval_bytes = more->allocation_interval_bytes;
}

static void fold_settings(struct session_settings *into, const struct session_settings *more)
{
    fold_allocations(into, more);
    if (more->interval_ns < into->interval_ns)
        into->interval_ns = more->interval_ns;
    if (more->memory_limit_bytes > into->memory_limit_bytes)
        into->memory_limit_bytes = more->memory_limit_bytes;
    into->features |= more->features;
    into->clock = finer_clock(into->clock, more->clock);
    join_filters(into->thread_filters, more->thread_filters);
    if (into->marker_triggers[0] == '\0')
        strcpy(into->marker_triggers, more->marker_triggers); /* both of TRIGGER_LINES_BYTES */
}

void session_parts_fold(const struct session_parts *parts, struct session_settings *out)
{
    assert(parts->count > 0);
    *out = parts->items[0].settings;
    for (unsigned i = 1; i < parts->count; i++)
        fold_settings(out, &parts->items[i].settings);
}
