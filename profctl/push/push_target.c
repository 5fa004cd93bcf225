#include "profctl/push/push_target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/http/secret_file.h"
#include "profctl/json_sinks.h"
#include "profctl/push/push_answer.h"
#include "profctl/push/push_requests.h"

enum {
    ANSWER_MOST_BYTES = 1024 * 1024,
    TYPE_BYTES = 128,
    FRAME_HEAD_BYTES = 5, /* of gRPC-Web: flags, and how many bytes follow */
};

struct push_target {
    struct push_url url;
    struct http_client *http;
    struct secret_header token;
    char tenant_header[PUSH_TENANT_BYTES + 32]; /* "": none */

    struct mapped_array answer;   /* char: the last one, or its beginning */
    char answer_type[TYPE_BYTES]; /* that its headers told; "": none */
    long grpc_status;             /* likewise; below 0: none */

    uint64_t dropped_profiles;          /* of batches that it took, in all */
    char last_warning[HTTP_TEXT_BYTES]; /* of the server, as it was told; "": none */
};

static enum export_kind kind_of(const struct push_target *target)
{
    static const enum export_kind kinds[] = {
        [PUSH_PYROSCOPE] = EXPORT_PYROSCOPE,
        [PUSH_PARCA] = EXPORT_PARCA,
        [PUSH_OTLP] = EXPORT_OTLP,
    };

    return kinds[target->url.kind];
}

/* --- To the spool --- */

static struct export_counts spool_minute(void *owner, const struct export_minute *minute,
                                         struct spool *spool)
{
    const struct push_target *target = owner;

    return (struct export_counts){ .rows = push_requests_spool(kind_of(target), minute, spool) };
}

/* --- To the server --- */

static int keep_answer(void *context, const char *bytes, size_t count)
{
    struct push_target *target = context;
    size_t room = ANSWER_MOST_BYTES - target->answer.count;

    return json_sink_memory(&target->answer, bytes, count < room ? count : room);
}

static void note_header(void *context, const char *line)
{
    struct push_target *target = context;
    const char *value;

    if (http_header_is(line, "grpc-status:", &value))
        target->grpc_status = strtol(value, NULL, 10);
    if (http_header_is(line, "Content-Type:", &value))
        snprintf(target->answer_type, sizeof(target->answer_type), "%.*s",
                 (int)strcspn(value, "\r\n"), value);
}

static void add_headers(const struct push_target *target, struct http_request *request)
{
    switch (kind_of(target)) {
    case EXPORT_PARCA:
        http_request_add_header(request, "Content-Type: application/grpc-web+proto");
        http_request_add_header(request, "X-Grpc-Web: 1");
        break;
    case EXPORT_OTLP:
        http_request_add_header(request, "Content-Type: application/x-protobuf");
        http_request_add_header(request, "Content-Encoding: gzip");
        break;
    default:
        http_request_add_header(request, "Content-Type: application/proto");
        break;
    }
    http_request_add_header(request, "User-Agent: profd/" PROFD_VERSION);
    http_request_add_header(request, target->token.text);
    http_request_add_header(request, target->tenant_header);
}

static void post_request(struct push_target *target, const void *body, size_t bytes,
                         struct http_answer *answer)
{
    struct http_request request = {
        .server = target->url.server,
        .address = target->url.address,
        .ca_file = target->url.ca_file[0] != '\0' ? target->url.ca_file : NULL,
        .body = body,
        .body_bytes = bytes,
        .is_to_come_once = true,
        .on_bytes = keep_answer,
        .on_header = note_header,
        .context = target,
    };

    add_headers(target, &request);
    target->answer.count = 0;
    target->answer_type[0] = '\0';
    target->grpc_status = -1;
    http_client_post(target->http, &request, answer);
}

/* One message, in its frame. */
static void post_framed(struct push_target *target, const struct export_batch *batch,
                        struct http_answer *answer)
{
    size_t count = batch->bytes.count;
    const char head[FRAME_HEAD_BYTES] = { 0, (char)(count >> 24), (char)(count >> 16),
                                          (char)(count >> 8), (char)count };
    struct mapped_array body = { 0 };
    int error = json_sink_memory(&body, head, sizeof(head));

    if (error == 0)
        error = json_sink_memory(&body, batch->bytes.items, count);
    if (error == 0)
        post_request(target, body.items, body.count, answer);
    else
        *answer = (struct http_answer){ .outcome = HTTP_AWAY, .text = "out of memory" };
    mapped_array_free(&body);
    if (answer->outcome == HTTP_DONE)
        push_answer_of_grpc(target->answer.items, target->answer.count, target->grpc_status,
                            answer);
}

static void post_plain(struct push_target *target, const struct export_batch *batch,
                       struct http_answer *answer)
{
    post_request(target, batch->bytes.items, batch->bytes.count, answer);
    if (answer->outcome == HTTP_DONE)
        push_answer_judge(target->url.kind, target->url.server, target->answer_type,
                          target->answer.items, target->answer.count, answer);
}

/* The same warning is told once. */
static void tell_warning(struct push_target *target, const char *text)
{
    if (text[0] == '\0' || strcmp(target->last_warning, text) == 0)
        return;
    snprintf(target->last_warning, sizeof(target->last_warning), "%s", text);
    say("the server took a batch, and says: %s", text);
}

static void settle_dropped(struct push_target *target)
{
    char text[HTTP_TEXT_BYTES];
    int64_t dropped = push_answer_dropped(target->answer.items, target->answer.count, text);

    if (dropped > 0) {
        target->dropped_profiles += (uint64_t)dropped;
        say("the server rejected %lld profiles of a batch%s%s", (long long)dropped,
            text[0] != '\0' ? ": " : "", text);
    } else {
        tell_warning(target,
                     dropped < 0 ? "what cannot be read; it may have rejected profiles" : text);
    }
}

static void send_batch(void *owner, const struct export_batch *batch, bool is_unsure,
                       struct http_answer *answer)
{
    struct push_target *target = owner;
    bool is_otlp = batch->kind == EXPORT_OTLP;

    (void)is_unsure;
    if (batch->kind == EXPORT_PARCA)
        post_framed(target, batch, answer);
    else
        post_plain(target, batch, answer);
    if (is_otlp && answer->outcome == HTTP_DONE)
        settle_dropped(target);
    if (is_otlp && answer->status >= 300 && answer->outcome != HTTP_DONE)
        answer->outcome = push_answer_otlp_outcome(answer->status);
    if (secret_header_renew(&target->token, answer))
        answer->outcome = HTTP_AWAY; /* with another token it is another request */
}

static bool takes_kind(const void *owner, enum export_kind kind)
{
    return kind == kind_of(owner);
}

static uint64_t dropped_profiles(const void *owner)
{
    const struct push_target *target = owner;

    return target->dropped_profiles;
}

static int64_t clock_ahead(const void *owner)
{
    const struct push_target *target = owner;

    return http_client_clock_ahead(target->http);
}

/* --- Life cycle --- */

static bool set_up_http(struct push_target *target, struct failure *failure)
{
    target->token =
        (struct secret_header){ target->url.token_file, "the token", "Authorization: Bearer ", "" };
    if (!secret_header_read(&target->token, failure))
        return false;
    if (target->url.tenant[0] != '\0')
        snprintf(target->tenant_header, sizeof(target->tenant_header), "X-Scope-OrgID: %s",
                 target->url.tenant);
    if (target->http == NULL)
        failure_set(failure, EXIT_CODE_FAILED, "cannot set up libcurl: out of memory");
    return target->http != NULL;
}

bool push_target_open(const struct push_url *url, bool (*should_stop)(void), uint64_t patience_ms,
                      struct push_target **out, struct failure *failure)
{
    struct push_target *target = calloc(1, sizeof(*target));

    if (target == NULL) {
        failure_set(failure, EXIT_CODE_FAILED, "out of memory");
        return false;
    }
    target->url = *url;
    target->http = http_client_create(should_stop);
    if (!set_up_http(target, failure)) {
        push_target_close(target);
        return false;
    }
    if (patience_ms != 0)
        http_client_set_patience(target->http, patience_ms);
    *out = target;
    return true;
}

void push_target_close(struct push_target *target)
{
    if (target == NULL)
        return;
    http_client_destroy(target->http);
    secret_header_wipe(&target->token);
    mapped_array_free(&target->answer);
    free(target);
}

struct export_target push_target_table(struct push_target *target)
{
    return (struct export_target){ .spool = spool_minute,
                                   .send = send_batch,
                                   .takes = takes_kind,
                                   .clock_ahead = clock_ahead,
                                   .dropped_profiles = dropped_profiles,
                                   .wants_files = true,
                                   .owner = target };
}
