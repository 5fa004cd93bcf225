/* Where metrics are served: a TCP PORT or ADDRESS:PORT, or the path of a Unix socket.
 *
 * A port alone means the loopback interface; other addresses must be given explicitly. */
#ifndef PROFD_DAEMON_METRICS_ADDRESS_H
#define PROFD_DAEMON_METRICS_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "ipc/socket_file.h"

struct metrics_address {
    bool is_unix;
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* of a Unix socket */
    struct sockaddr_storage address;                        /* else */
    socklen_t address_bytes;
};

/* Parses TEXT: "9464", "127.0.0.1:9464", "localhost:9464", "[::1]:9464", "/run/metrics", or
 * "unix:metrics". Returns 0, -EINVAL, or -ENAMETOOLONG. Pure. */
int metrics_address_parse(const char *text, struct metrics_address *out);

/* A listening socket. Zeroed except for FD = -1: there is none. */
struct metrics_listener {
    int fd; /* owned */
    bool is_unix;
    struct socket_file file; /* of a Unix socket; then it owns the descriptor */
};

/* Listens at ADDRESS; a Unix socket is open to its owner and group only. Returns 0, or a negative
 * errno with one line in ERROR_TEXT. */
int metrics_listen(const struct metrics_address *address, struct metrics_listener *out,
                   char *error_text, size_t error_text_bytes);

/* Safe to repeat. */
void metrics_listener_close(struct metrics_listener *listener);

#endif
