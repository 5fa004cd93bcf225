/* The parts that server addresses have in common: HOST[:PORT], and a=b&c=d after "?". Pure. */
#ifndef PROFD_COMMON_URL_PARTS_H
#define PROFD_COMMON_URL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads "HOST" or "HOST:PORT" in LENGTH bytes of TEXT; an IPv6 address is in brackets. *HOST_LENGTH
 * is the length of the host, which is below HOST_BYTES; *PORT is unchanged if none is given.
 * Returns 0, or -EINVAL with what is wrong in *PROBLEM. */
int url_read_server(const char *text, size_t length, size_t host_bytes, size_t *host_length,
                    uint16_t *port, const char **problem);

/* Whether SERVER, which is HOST or HOST:PORT, is this machine, by the name "localhost" or by an
 * address that no packet leaves it for. */
bool url_is_loopback(const char *server);

/* Calls TAKE with each part of TEXT between "&"s, until TAKE returns a value other than 0, which is
 * then returned. */
int url_read_parameters(const char *text,
                        int (*take)(void *context, const char *parameter, size_t length),
                        void *context);

#endif
