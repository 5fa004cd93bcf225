#include "daemon/metrics/metrics_address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"

enum { HOST_BYTES = 64, MOST_PORT = 65535, BACKLOG = 512, UNIX_MODE = 0660 };

static const char unix_prefix[] = "unix:";
static const char loopback[] = "127.0.0.1";

/* --- Parsing --- */

static int parse_path(const char *text, struct metrics_address *out)
{
    size_t length = strlen(text);

    if (length == 0)
        return -EINVAL;
    if (length >= sizeof(out->path))
        return -ENAMETOOLONG;
    out->is_unix = true;
    memcpy(out->path, text, length + 1);
    return 0;
}

/* The host of "HOST:PORT", without its brackets; a port alone is of the loopback. */
static int take_host(const char *text, const char *colon, char host[HOST_BYTES])
{
    const char *begin = text;
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;

    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        begin++;
        length -= 2;
    } else if (memchr(text, ':', length) != NULL) {
        return -EINVAL; /* IPv6 without brackets: which colon is the port's? */
    }
    if (colon != NULL && (length == 0 || length >= HOST_BYTES))
        return -EINVAL;
    bool is_loopback = colon == NULL || (length == 9 && memcmp(begin, "localhost", 9) == 0);
    snprintf(host, HOST_BYTES, "%.*s", is_loopback ? (int)strlen(loopback) : (int)length,
             is_loopback ? loopback : begin);
    return 0;
}

/* No name is looked up: that could take long, and change. */
static int resolve_address(const char *host, const char *port, struct metrics_address *out)
{
    static const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                           .ai_socktype = SOCK_STREAM };
    struct addrinfo *found;

    if (getaddrinfo(host, port, &hints, &found) != 0)
        return -EINVAL;
    memcpy(&out->address, found->ai_addr, found->ai_addrlen);
    out->address_bytes = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

int metrics_address_parse(const char *text, struct metrics_address *out)
{
    const char *colon = strrchr(text, ':');
    const char *port = colon != NULL ? colon + 1 : text;
    char host[HOST_BYTES];
    uint64_t number;

    *out = (struct metrics_address){ 0 };
    if (strncmp(text, unix_prefix, strlen(unix_prefix)) == 0)
        return parse_path(text + strlen(unix_prefix), out);
    if (strchr(text, '/') != NULL)
        return parse_path(text, out);
    if (units_parse_count(port, 1, MOST_PORT, &number) < 0 || take_host(text, colon, host) < 0)
        return -EINVAL;
    return resolve_address(host, port, out);
}

/* --- Listening --- */

static int listen_unix(const struct metrics_address *address, struct metrics_listener *out,
                       char *error_text, size_t error_text_bytes)
{
    int error =
        socket_file_listen_as(&out->file, address->path, UNIX_MODE, error_text, error_text_bytes);

    if (error < 0)
        return error;
    out->is_unix = true;
    out->fd = out->file.listening_fd;
    return 0;
}

static int listen_tcp(const struct metrics_address *address, struct metrics_listener *out,
                      char *error_text, size_t error_text_bytes)
{
    const int yes = 1;
    int fd = socket(address->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = fd < 0 ? -errno : 0;

    if (error == 0 &&
        (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
         bind(fd, (const struct sockaddr *)&address->address, address->address_bytes) < 0 ||
         listen(fd, BACKLOG) < 0))
        error = -errno;
    if (error == 0) {
        out->fd = fd;
        return 0;
    }
    snprintf(error_text, error_text_bytes, "cannot listen there: %s", strerror(-error));
    if (fd >= 0)
        close(fd);
    return error;
}

int metrics_listen(const struct metrics_address *address, struct metrics_listener *out,
                   char *error_text, size_t error_text_bytes)
{
    *out = (struct metrics_listener){ .fd = -1 };
    return (address->is_unix ? listen_unix : listen_tcp)(address, out, error_text,
                                                         error_text_bytes);
}

void metrics_listener_close(struct metrics_listener *listener)
{
    if (listener->is_unix)
        socket_file_close(&listener->file);
    else if (listener->fd >= 0)
        close(listener->fd);
    *listener = (struct metrics_listener){ .fd = -1 };
}
