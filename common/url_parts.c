#include "common/url_parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/units.h"

enum { PORT_BYTES = 8 };

static int read_port(const char *text, size_t length, uint16_t *port, const char **problem)
{
    char number[PORT_BYTES] = "";
    uint64_t value;

    if (length < sizeof(number))
        memcpy(number, text, length);
    if (units_parse_count(number, 1, UINT16_MAX, &value) < 0) {
        *problem = "the port is a number from 1 to 65535";
        return -EINVAL;
    }
    *port = (uint16_t)value;
    return 0;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_%"

/* How long what should be a host is. */
static size_t measure_host(const char *text, size_t length)
{
    const char *bracket = length > 0 && text[0] == '[' ? memchr(text, ']', length) : NULL;
    const char *end = bracket != NULL ? bracket + 1 : memchr(text, ':', length);

    return end != NULL ? (size_t)(end - text) : length;
}

static bool is_host(const char *text, size_t length)
{
    if (text[0] == '[')
        return length > 2 && text[length - 1] == ']' && strspn(text + 1, LETTERS ":") == length - 2;
    return strspn(text, LETTERS) >= length;
}

int url_read_server(const char *text, size_t length, size_t host_bytes, size_t *host_length,
                    uint16_t *port, const char **problem)
{
    size_t host = measure_host(text, length);

    *problem = host == 0              ? "no host given"
               : host >= host_bytes   ? "the host is too long"
               : !is_host(text, host) ? "the host is not a name or an address"
               : host < length && text[host] != ':'
                   ? "after the host, only :PORT or a path may follow"
                   : NULL;
    if (*problem != NULL)
        return -EINVAL;
    *host_length = host;
    return host < length ? read_port(text + host + 1, length - host - 1, port, problem) : 0;
}

enum { LOOPBACK_NET = 127 };

static bool is_loopback_ipv6(const char *text)
{
    struct in6_addr address;

    return inet_pton(AF_INET6, text, &address) == 1 &&
           (IN6_IS_ADDR_LOOPBACK(&address) ||
            (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == LOOPBACK_NET));
}

static bool is_loopback_ipv4(const char *text)
{
    struct in_addr address;

    return inet_pton(AF_INET, text, &address) == 1 && ntohl(address.s_addr) >> 24 == LOOPBACK_NET;
}

bool url_is_loopback(const char *server)
{
    bool is_in_brackets = server[0] == '[';
    size_t host = measure_host(server, strlen(server)), edges = is_in_brackets ? 2 : 0;
    char text[INET6_ADDRSTRLEN];

    if (host < edges || host - edges >= sizeof(text))
        return false;
    snprintf(text, sizeof(text), "%.*s", (int)(host - edges), server + edges / 2);
    return is_in_brackets ? is_loopback_ipv6(text)
                          : strcasecmp(text, "localhost") == 0 || is_loopback_ipv4(text);
}

int url_read_parameters(const char *text,
                        int (*take)(void *context, const char *parameter, size_t length),
                        void *context)
{
    int error = 0;

    while (error == 0 && *text != '\0') {
        size_t length = strcspn(text, "&");
        error = take(context, text, length);
        text += length + (text[length] == '&');
    }
    return error;
}
