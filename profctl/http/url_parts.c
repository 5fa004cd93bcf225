#include "profctl/http/url_parts.h"

#include <errno.h>
#include <string.h>

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

int url_read_server(const char *text, size_t length, size_t host_bytes, size_t *host_length,
                    uint16_t *port, const char **problem)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789.-_:%[]";
    const char *bracket = length > 0 && text[0] == '[' ? memchr(text, ']', length) : NULL;
    const char *from = bracket != NULL ? bracket : text;
    const char *colon = memchr(from, ':', length - (size_t)(from - text));
    size_t host = colon != NULL ? (size_t)(colon - text) : length;

    if (host == 0 || host >= host_bytes || strspn(text, letters) < host) {
        *problem = "no host given";
        return -EINVAL;
    }
    *host_length = host;
    return colon != NULL ? read_port(colon + 1, length - host - 1, port, problem) : 0;
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
