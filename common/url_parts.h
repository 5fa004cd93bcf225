/* What addresses of servers have in common: HOST[:PORT], and a=b&c=d behind "?". Pure. */
#ifndef PROFD_COMMON_URL_PARTS_H
#define PROFD_COMMON_URL_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* Reads "HOST" or "HOST:PORT" in LENGTH bytes of TEXT; an IPv6 address stands in brackets.
 * *HOST_LENGTH is how much of it the host is, below HOST_BYTES; *PORT stays where none is given. 0,
 * or -EINVAL with *PROBLEM, what is wrong. */
int url_read_server(const char *text, size_t length, size_t host_bytes, size_t *host_length,
                    uint16_t *port, const char **problem);

/* Calls TAKE with each part of TEXT between "&"s, and stops where it returns something else than 0,
 * which is returned. */
int url_read_parameters(const char *text,
                        int (*take)(void *context, const char *parameter, size_t length),
                        void *context);

#endif
