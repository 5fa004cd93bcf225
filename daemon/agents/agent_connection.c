#include "daemon/agents/agent_connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/agents/agents.h"
#include "daemon/children/child_table.h"
#include "daemon/limit/memory.h"
#include "daemon/log.h"
#include "daemon/session.h"
#include "ipc/messages.h"

static void note_started(struct child *child)
{
    free(child->trouble);
    child->trouble = NULL;
    memory_await(child);
}

static int on_acknowledged(struct child *child, unsigned kind, const uint8_t *payload, size_t bytes)
{
    struct message_generation message;
    int error = message_get_generation(payload, bytes, &message);

    if (error < 0)
        return error;
    struct agents *agents = child->agents;
    if (kind == MESSAGE_STARTED && message.generation == agents->session->generation)
        note_started(child);
    agents->events->on_acknowledged(child, kind, message.generation, agents->context);
    return 0;
}

static int on_progress(struct child *child, const uint8_t *payload, size_t bytes)
{
    struct message_gather_progress message;
    int error = message_get_gather_progress(payload, bytes, &message);

    if (error == 0)
        child->agents->events->on_progress(child, &message, child->agents->context);
    return error;
}

static int on_profile(struct child *child, const uint8_t *payload, size_t bytes, int *fds,
                      size_t fd_count)
{
    struct message_profile message;
    int error = message_get_profile(payload, bytes, &message);

    if (error < 0)
        return error;
    if (message.error == 0 && (fd_count > 1 || (fd_count == 0 && message.json_bytes > 0)))
        return -EPROTO;
    child->agents->events->on_profile(child, &message, fd_count > 0 ? &fds[0] : NULL,
                                      child->agents->context);
    return 0;
}

static int on_log(struct child *child, const uint8_t *payload, size_t bytes)
{
    struct message_text message;
    int error = message_get_text(payload, bytes, &message);

    if (error < 0)
        return error;
    log_warn_of_many(child->pid, "%d (%s): %.*s", child->pid, child->executable,
                     (int)message.text.length, message.text.bytes);
    free(child->trouble);
    child->trouble = strndup(message.text.bytes, message.text.length);
    return child->trouble != NULL ? 0 : -ENOMEM;
}

static int on_triggered(struct child *child, const uint8_t *payload, size_t bytes)
{
    struct message_triggered message;
    int error = message_get_triggered(payload, bytes, &message);

    if (error == 0 && message.generation == child->agents->session->generation)
        child->agents->events->on_marker(child, message.marker, message.hits,
                                         child->agents->context);
    return error;
}

static int dispatch_message(struct child *child, unsigned kind, const uint8_t *payload,
                            size_t bytes, int *fds, size_t fd_count)
{
    switch (kind) {
    case MESSAGE_STARTED:
    case MESSAGE_STOPPED:
    case MESSAGE_PAUSED:
    case MESSAGE_RESUMED:
    case MESSAGE_SAMPLING_PAUSED:
    case MESSAGE_SAMPLING_RESUMED:
        return on_acknowledged(child, kind, payload, bytes);
    case MESSAGE_CHUNK_MANAGER_UPDATE:
        return memory_note_update(child->agents->memory, child, payload, bytes);
    case MESSAGE_GATHER_PROFILE_PROGRESS:
        return on_progress(child, payload, bytes);
    case MESSAGE_PROFILE:
        return on_profile(child, payload, bytes, fds, fd_count);
    case MESSAGE_TRIGGERED:
        return on_triggered(child, payload, bytes);
    case MESSAGE_AGENT_LOG:
        return on_log(child, payload, bytes);
    default:
        log_debug_of(child->pid, "ignored unexpected %s from %d", message_kind_name(kind),
                     child->pid);
        return 0;
    }
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    int error = dispatch_message(owner, kind, payload, bytes, fds, fd_count);

    if (error < 0)
        connection_close(connection, error);
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct child *child = owner;
    (void)connection;

    if (reason != -ESHUTDOWN && reason != -ECONNRESET)
        log_warn_of(child->pid, "lost the agent in %d (%s): %s", child->pid, child->executable,
                    uv_strerror(reason));
    agents_note_disconnected(child);
}

const struct connection_events agent_connection_events = { on_message, on_closed };
