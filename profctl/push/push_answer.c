#include "profctl/push/push_answer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profctl/printable.h"
#include "profctl/push/otlp.pb-c.h"

/* Statuses of gRPC. */
enum {
    GRPC_OK = 0,
    GRPC_UNKNOWN = 2,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_NOT_FOUND = 5,
    GRPC_PERMISSION_DENIED = 7,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_OUT_OF_RANGE = 11,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_INTERNAL = 13,
    GRPC_DATA_LOSS = 15,
    GRPC_UNAUTHENTICATED = 16,
};

enum { FRAME_HEAD_BYTES = 5, TRAILER_FLAG = 0x80 };

static enum http_outcome outcome_of(long status)
{
    switch (status) {
    case GRPC_OK:
        return HTTP_DONE;
    case GRPC_INVALID_ARGUMENT:
    case GRPC_FAILED_PRECONDITION:
    case GRPC_OUT_OF_RANGE:
        return HTTP_REFUSED;
    case GRPC_NOT_FOUND:
    case GRPC_PERMISSION_DENIED:
    case GRPC_RESOURCE_EXHAUSTED:
    case GRPC_UNIMPLEMENTED:
    case GRPC_UNAUTHENTICATED:
        return HTTP_AWAY;
    case GRPC_UNKNOWN:
    case GRPC_INTERNAL:
    case GRPC_DATA_LOSS:
        return HTTP_FAILED;
    default:
        return HTTP_UNSURE;
    }
}

/* What HTTP would say where gRPC is about who asks. */
static long http_status_of(long status, long otherwise)
{
    if (status == GRPC_UNAUTHENTICATED)
        return 401;
    return status == GRPC_PERMISSION_DENIED ? 403 : otherwise;
}

/* The trailers among the frames of BODY; NULL: there are none. */
static const char *find_trailers(const char *body, size_t length, size_t *trailers_length)
{
    while (length >= FRAME_HEAD_BYTES) {
        const uint8_t *head = (const uint8_t *)body;
        size_t count =
            (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
        body += FRAME_HEAD_BYTES;
        length -= FRAME_HEAD_BYTES;
        if (count > length)
            return NULL;
        *trailers_length = count;
        if (head[0] & TRAILER_FLAG)
            return body;
        body += count;
        length -= count;
    }
    return NULL;
}

/* Reads the lines "NAME: value" of LENGTH bytes. */
static void read_trailers(const char *trailers, size_t length, long *status, char *message,
                          size_t message_bytes)
{
    while (length > 0) {
        const char *end = memchr(trailers, '\n', length);
        size_t line_length = end != NULL ? (size_t)(end - trailers) + 1 : length;
        char line[HTTP_TEXT_BYTES];
        const char *value;
        snprintf(line, sizeof(line), "%.*s", (int)line_length, trailers);
        line[strcspn(line, "\r\n")] = '\0';
        if (http_header_is(line, "grpc-status:", &value))
            *status = strtol(value, NULL, 10);
        else if (http_header_is(line, "grpc-message:", &value))
            snprintf(message, message_bytes, "%s", value);
        trailers += line_length;
        length -= line_length;
    }
}

void push_answer_of_grpc(const char *body, size_t length, long status, struct http_answer *answer)
{
    char message[HTTP_TEXT_BYTES / 2] = "";
    size_t trailers_length = 0;
    const char *trailers = find_trailers(body, length, &trailers_length);

    if (trailers != NULL)
        read_trailers(trailers, trailers_length, &status, message, sizeof(message));
    if (status < 0) {
        answer->outcome = HTTP_UNSURE;
        snprintf(answer->text, sizeof(answer->text), "the server did not answer in gRPC-Web");
        return;
    }
    answer->outcome = outcome_of(status);
    answer->status = http_status_of(status, answer->status);
    if (answer->outcome != HTTP_DONE)
        snprintf(answer->text, sizeof(answer->text), "the server answered with gRPC status %ld%s%s",
                 status, message[0] != '\0' ? ": " : "", message);
    (void)make_printable(answer->text);
}

enum http_outcome push_answer_otlp_outcome(long status)
{
    if (status == 429)
        return HTTP_AWAY;
    if (status == 502 || status == 503 || status == 504)
        return HTTP_UNSURE;
    return status >= 400 ? HTTP_REFUSED : http_outcome_of_status(status);
}

static bool has_type(const char *type, const char *wanted)
{
    size_t length = strcspn(type, "; \t\r\n");

    return length == strlen(wanted) && strncasecmp(type, wanted, length) == 0;
}

static bool is_otlp_response(const char *body, size_t length)
{
    Otlp__Response *response = otlp__response__unpack(NULL, length, (const uint8_t *)body);

    if (response == NULL)
        return false;
    otlp__response__free_unpacked(response, NULL);
    return true;
}

/* Pyroscope's message has no fields yet. Where there is nothing to read, only a page for people is
 * another's. */
static bool is_own_answer(enum push_kind kind, const char *type, const char *body, size_t length)
{
    if (length == 0)
        return !has_type(type, "text/html");
    if (kind == PUSH_PYROSCOPE)
        return has_type(type, "application/proto");
    return has_type(type, "application/x-protobuf") ||
           (type[0] == '\0' && is_otlp_response(body, length));
}

void push_answer_judge(enum push_kind kind, const char *server, const char *type, const char *body,
                       size_t length, struct http_answer *answer)
{
    static const char *const names[] = {
        [PUSH_PYROSCOPE] = "Pyroscope", [PUSH_PARCA] = "Parca", [PUSH_OTLP] = "a collector"
    };
    char said[HTTP_TEXT_BYTES / 2];

    if (is_own_answer(kind, type, body, length))
        return;
    snprintf(said, sizeof(said), "%.*s", (int)length, body);
    said[strcspn(said, "\r\n")] = '\0';
    answer->outcome = HTTP_AWAY;
    snprintf(answer->text, sizeof(answer->text), "%.80s answers, but not as %s%s%s", server,
             names[kind], said[0] != '\0' ? ": " : "", said);
    (void)make_printable(answer->text);
}

int64_t push_answer_dropped(const char *body, size_t length, char text[HTTP_TEXT_BYTES])
{
    Otlp__Response *response = otlp__response__unpack(NULL, length, (const uint8_t *)body);
    int64_t dropped = 0;

    text[0] = '\0';
    if (response == NULL)
        return -EPROTO;
    if (response->partial_success != NULL) {
        dropped = response->partial_success->rejected_profiles;
        snprintf(text, HTTP_TEXT_BYTES, "%.300s", response->partial_success->error_message);
        (void)make_printable(text);
    }
    otlp__response__free_unpacked(response, NULL);
    return dropped > 0 ? dropped : 0;
}
