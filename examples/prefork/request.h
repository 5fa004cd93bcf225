/* Requests: a small part of HTTP/1.1 with a JSON body. Pure functions over bytes; any thread. */
#ifndef PREFORK_REQUEST_H
#define PREFORK_REQUEST_H

#include <stddef.h>

enum { REQUEST_MAX_BYTES = 256 * 1024 };

/* A view of bytes in the buffer that was parsed. */
struct text {
    const char *bytes;
    size_t length;
};

struct request {
    struct text method, path, body;
    unsigned rounds; /* of hashing that the client asks for (header X-Rounds, 1 to 1000) */
};

/* What a JSON body is made of. */
struct json_summary {
    size_t values, strings, depth;
    double sum; /* of its numbers */
};

/* Parses the request at the start of BUFFER. Returns the bytes that it takes, 0 when more must
 * be read first, or -EBADMSG. */
long request_parse(const char *buffer, size_t bytes, struct request *out);

/* Walks over BODY. 0, or -EBADMSG when it is not JSON. */
int json_summarize(struct text body, struct json_summary *out);

#endif
