#include "child-agent/program/session_of_all.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/program/profd_call.h"
#include "child-agent/resting.h"
#include "common/apart.h"
#include "common/time_units.h"
#include "ipc/messages.h"

enum {
    CHANGE_PATIENCE_MS = 30 * 1000, /* other captures may be under way */
    JOIN_PATIENCE_MS = 3000,
    JOIN_POLL_NS = NS_PER_MS,
};

static bool is_on;
static LARGE_APART uint8_t frame[PROFD_CALL_REQUEST_BYTES]; /* one call at a time */

/* profd sees to it before it answers, but in processes that it cannot reach so soon. */
static void join_session(void)
{
    static const struct timespec pause = { .tv_nsec = JOIN_POLL_NS };
    uint64_t deadline_ns = clock_monotonic_in_ms(JOIN_PATIENCE_MS);
    resting_look();
    while (core_local.recording_generation == 0 && clock_monotonic_ns() < deadline_ns)
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

int session_of_all_start(const struct session_settings *settings)
{
    const struct message_client_start start = {
        .interval_ns = settings->interval_ns,
        .memory_limit_bytes = settings->limit_bytes,
        .features = settings->features,
        .thread_filters = { settings->filters, strlen(settings->filters) },
        .triggers = { "", 0 },
        .output = { "", 0 },
        .allocation_interval_bytes = settings->allocation_interval_bytes,
        .clock = settings->clock,
    };
    long count = message_put_client_start(frame, sizeof(frame), MESSAGE_CLIENT_START, &start);
    int error = profd_call(frame, count, -1, CHANGE_PATIENCE_MS);
    if (error < 0)
        return error == -EINVAL ? -EBUSY : error; /* the settings are sound: it is the moment */
    is_on = true;
    join_session();
    return 0;
}

/* profd, or whoever controls it, may have ended it. */
static int note_end(int error)
{
    if (error == -ESRCH || error == -ENOTCONN)
        is_on = false;
    return error;
}

/* Asks for one of the changes without settings. */
static int change_session(enum message_kind kind)
{
    const struct message_request request = { .id = 1 };
    long count = message_put_request(frame, sizeof(frame), kind, &request);
    return note_end(profd_call(frame, count, -1, CHANGE_PATIENCE_MS));
}

int session_of_all_stop(void)
{
    int error = change_session(MESSAGE_CLIENT_STOP);
    if (error == 0)
        is_on = false;
    return error;
}

/* What is so already is refused as an impossible move. */
static int ensure_session_state(enum message_kind kind)
{
    int error = change_session(kind);
    return error == -EINVAL ? 0 : error;
}

int session_of_all_pause(void)
{
    return ensure_session_state(MESSAGE_CLIENT_PAUSE);
}

int session_of_all_resume(void)
{
    return ensure_session_state(MESSAGE_CLIENT_RESUME);
}

int session_of_all_capture(int fd)
{
    const struct message_client_capture capture = { .pids = { "", 0 },
                                                    .names = { "", 0 },
                                                    .thread_filters = { "", 0 } };
    long count = message_put_client_capture(frame, sizeof(frame), MESSAGE_CLIENT_CAPTURE, &capture);
    return note_end(profd_call(frame, count, fd, PROFD_CALL_FOR_EVER));
}

bool session_of_all_is_active(void)
{
    return is_on;
}

void session_of_all_after_fork_child(void)
{
    is_on = false;
}
