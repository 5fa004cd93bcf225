#include "daemon/requests/request_queue.h"

#include <stdlib.h>
#include <unistd.h>

void request_free(struct request *request)
{
    if (request->output_fd >= 0)
        close(request->output_fd);
    free(request->triggers);
    free(request->selection);
    free(request);
}

struct capture_order request_take_order(struct request *request)
{
    const struct capture_order order = {
        .id = request->id,
        .owner = request->owner,
        .selection = request->selection,
        .timeout_ms = request->timeout_ms,
        .since_ns = request->since_ns,
        .output_fd = request->output_fd,
        .is_raw = request->is_raw,
        .stop_after = request->stop_after,
    };

    request->output_fd = -1;
    return order;
}

void request_queue_append(struct request_queue *queue, struct request *request)
{
    request->next = NULL;
    if (queue->last != NULL)
        queue->last->next = request;
    else
        queue->first = request;
    queue->last = request;
    queue->count++;
}

static void find_last_request(struct request_queue *queue)
{
    queue->last = queue->first;
    while (queue->last != NULL && queue->last->next != NULL)
        queue->last = queue->last->next;
}

struct request *request_queue_take(struct request_queue *queue, struct request **link)
{
    struct request *request = *link;

    *link = request->next;
    request->next = NULL;
    queue->count--;
    find_last_request(queue);
    return request;
}

void request_queue_forget_client(struct request_queue *queue, const struct client *client)
{
    struct request **link = &queue->first;

    while (*link != NULL) {
        struct request *request = *link;
        if (request->client == client && request->kind == REQUEST_CAPTURE) {
            request_free(request_queue_take(queue, link));
            continue;
        }
        if (request->client == client)
            request->client = NULL;
        link = &request->next;
    }
}

bool request_queue_has_start(const struct request_queue *queue, const struct session_owner *owner)
{
    for (const struct request *each = queue->first; each != NULL; each = each->next) {
        if (each->kind == REQUEST_START && session_owner_is(&each->owner, owner))
            return true;
    }
    return false;
}

void request_queue_clear(struct request_queue *queue)
{
    while (queue->first != NULL)
        request_free(request_queue_take(queue, &queue->first));
}
