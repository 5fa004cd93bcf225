#include "child-agent/program/second_session.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/session.h"
#include "common/apart.h"

static struct {
    uint32_t recording; /* that it is beside; 0: there is none */
    uint64_t since_ns;
} second;

static LARGE_APART struct session_settings second_settings;

void second_session_after_fork_child(void)
{
    second.recording = 0;
}

/* A session that profd began since records anew. */
static bool is_session_on(void)
{
    return second.recording != 0 && second.recording == core_local.recording_generation;
}

const struct session_settings *second_session_get(uint64_t *since_ns)
{
    *since_ns = second.since_ns;
    return is_session_on() ? &second_settings : NULL;
}

static bool is_recorded(const struct session_settings *wanted, const struct session_settings *first)
{
    bool has_clock = wanted->clock == SAMPLING_CLOCK_AUTO || wanted->clock == first->clock;
    bool has_threads = first->filters[0] == '\0' || strcmp(first->filters, wanted->filters) == 0;
    return has_clock && has_threads && (wanted->features & ~first->features) == 0;
}

int second_session_start(const struct session_settings *settings)
{
    const struct session_settings *first = session_get_settings();
    if (first == NULL)
        return -EAGAIN; /* it is over just now */
    if (is_session_on())
        return -EALREADY;
    if (!is_recorded(settings, first))
        return -EBUSY;
    session_settings_copy(&second_settings, settings);
    second.since_ns = clock_monotonic_ns();
    second.recording = core_local.recording_generation;
    session_set_finer_interval(settings->interval_ns);
    return 0;
}

int second_session_stop(void)
{
    if (!is_session_on())
        return -ESRCH;
    second.recording = 0;
    session_set_finer_interval(0);
    return 0;
}
