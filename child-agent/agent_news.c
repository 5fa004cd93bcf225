#include "child-agent/agent_news.h"

#include <stddef.h>

#include "buffer/clock.h"
#include "child-agent/agent_gather.h"
#include "child-agent/agent_link.h"
#include "child-agent/agent_orders.h"
#include "child-agent/agent_updates.h"
#include "child-agent/markers/marker_triggers.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/session.h"
#include "common/apart.h"
#include "ipc/messages.h"

enum {
    GATHER_POLL_MS = 5,
    UPDATE_REST_MS = 50, /* between two chunk updates */
    ARENA_RETRY_MS = 1000,
    TRIGGER_POLL_MS = 50, /* markers that lasted too long wake nobody */
    UPDATE_MESSAGE_BYTES = 16 * 1024,
};

static uint64_t update_due_ns; /* from here on the next update goes out as soon as there is one */

void agent_news_begin(void)
{
    update_due_ns = clock_monotonic_in_ms(UPDATE_REST_MS);
}

uint64_t agent_news_due_ns(const struct agent_standing *standing)
{
    if (agent_gather_id() != 0)
        return clock_monotonic_in_ms(GATHER_POLL_MS);
    if (!agent_link_gave_arena())
        return clock_monotonic_in_ms(ARENA_RETRY_MS);
    if (!session_is_active())
        return LOOK_ALARM_NEVER;
    if (marker_triggers_are_set())
        return clock_monotonic_in_ms(TRIGGER_POLL_MS);
    bool is_too_early = standing->owes_update && clock_monotonic_ns() < update_due_ns;
    return is_too_early ? update_due_ns : LOOK_ALARM_NEVER;
}

/* A finished profile goes out. */
static int deliver_profile(void)
{
    int fd, error;
    uint64_t json_bytes;
    uint64_t gather_id = agent_gather_id();
    if (!agent_gather_take(&fd, &json_bytes, &error))
        return 0;
    return agent_orders_send_profile(gather_id, fd, json_bytes, error);
}

/* An update that profd awaits goes out, once there is one. */
static int deliver_update(struct agent_standing *standing)
{
    static LARGE_APART struct message_chunk_manager_update body;
    static LARGE_APART uint8_t message[UPDATE_MESSAGE_BYTES];
    if (!standing->owes_update || !agent_updates_take(&body.update))
        return 0;
    standing->owes_update = false;
    update_due_ns = clock_monotonic_in_ms(UPDATE_REST_MS);
    body.generation = session_generation();
    return agent_link_send(message,
                           message_put_chunk_manager_update(message, sizeof(message),
                                                            MESSAGE_CHUNK_MANAGER_UPDATE, &body),
                           -1);
}

/* Markers that lasted too long since the last time. */
static int deliver_triggered(void)
{
    uint32_t hits;
    int error = 0;
    if (!session_is_active())
        return 0;
    for (size_t index = 0; error >= 0 && marker_triggers_take(&index, &hits); index++) {
        uint8_t message[AGENT_SMALL_MESSAGE_BYTES];
        const struct message_triggered body = { .generation = session_generation(),
                                                .marker = index,
                                                .hits = hits };
        error = agent_link_send(
            message, message_put_triggered(message, sizeof(message), MESSAGE_TRIGGERED, &body), -1);
    }
    return error;
}

int agent_news_send(struct agent_standing *standing)
{
    int error = deliver_profile();
    if (error >= 0)
        error = deliver_update(standing);
    if (error >= 0)
        error = deliver_triggered();
    return error;
}
