#include "examples/prefork/serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <profd.h>

#include "examples/prefork/hash.h"
#include "examples/prefork/request.h"

/* Reads until BUFFER holds a whole request. Returns the bytes of it, 0 when the client has closed
 * the connection, or a negative errno. */
static long read_request(int connection, char *buffer, size_t *filled, struct request *request)
{
    PROFD_LABEL_SCOPE("read request", PROFD_CATEGORY_NETWORK);
    for (;;) {
        long taken = request_parse(buffer, *filled, request);
        if (taken != 0)
            return taken;
        ssize_t got = read(connection, buffer + *filled, REQUEST_MAX_BYTES - *filled);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return -errno;
        *filled += got > 0 ? (size_t)got : 0;
    }
}

static int parse_body(struct text body, struct json_summary *summary)
{
    PROFD_LABEL_SCOPE("parse body", PROFD_CATEGORY_PARSE);
    return json_summarize(body, summary);
}

/* Hashes the body, then the digest with the body again, as often as the client asked. */
static void hash_body(const struct request *request, uint8_t digest[SHA256_BYTES])
{
    PROFD_LABEL_SCOPE("hash body", PROFD_CATEGORY_COMPUTE);
    sha256(request->body.bytes, request->body.length, digest);
    for (unsigned round = 1; round < request->rounds; round++) {
        uint8_t inner[2 * SHA256_BYTES];
        memcpy(inner, digest, SHA256_BYTES);
        sha256(request->body.bytes, request->body.length, inner + SHA256_BYTES);
        sha256(inner, sizeof(inner), digest);
    }
}

static int write_all(int connection, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return -errno;
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
        }
    }
    return 0;
}

static int answer(int connection, int status, const char *body)
{
    char response[512];
    int length = snprintf(response, sizeof(response),
                          "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          status, status == 200 ? "OK" : "Bad Request", strlen(body), body);
    return write_all(connection, response, (size_t)length);
}

static int answer_request(int connection, const struct request *request)
{
    uint64_t start = PROFD_NOW();
    struct json_summary summary;
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX_CHARACTERS + 1], body[256], text[64];

    if (parse_body(request->body, &summary) < 0)
        return answer(connection, 400, "{\"error\":\"the body is not JSON\"}");
    hash_body(request, digest);
    sha256_hex(digest, hex);
    snprintf(body, sizeof(body), "{\"sha256\":\"%s\",\"values\":%zu,\"sum\":%.3f}", hex,
             summary.values, summary.sum);
    int error = answer(connection, 200, body);
    snprintf(text, sizeof(text), "%.*s %zu bytes", (int)request->path.length % 40,
             request->path.bytes, request->body.length);
    PROFD_MARKER_INTERVAL("request", PROFD_CATEGORY_NETWORK, start, text);
    return error;
}

void serve_connection(int connection)
{
    struct request request;
    size_t filled = 0;
    long taken;
    char *buffer = malloc(REQUEST_MAX_BYTES);
    if (buffer == NULL)
        return;
    while ((taken = read_request(connection, buffer, &filled, &request)) > 0) {
        if (answer_request(connection, &request) < 0)
            break;
        filled -= (size_t)taken;
        memmove(buffer, buffer + taken, filled);
    }
    if (taken == -EBADMSG)
        answer(connection, 400, "{\"error\":\"this is not a request\"}");
    free(buffer);
}
