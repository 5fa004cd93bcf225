/* Where metrics are served: PORT or ADDRESS:PORT of TCP, or the path of a Unix socket.
 *
 * A port alone is one of the loopback interface; others have to be asked for. */
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

/* TEXT as an address: "9464", "127.0.0.1:9464", "localhost:9464", "[::1]:9464", "/run/metrics", or
 * "unix:metrics". 0, -EINVAL, or -ENAMETOOLONG. Pure. */
int metrics_address_parse(const char *text, struct metrics_address *out);

/* What listens there. Zeroed but for FD = -1: nothing does. */
struct metrics_listener {
    int fd; /* owned */
    bool is_unix;
    struct socket_file file; /* of a Unix socket; has the descriptor then */
};

/* Listens at ADDRESS, at a Unix socket for its owner and group alone. 0, or a negative errno with
 * one line in ERROR_TEXT. */
int metrics_listen(const struct metrics_address *address, struct metrics_listener *out,
                   char *error_text, size_t error_text_bytes);

/* Safe to repeat. */
void metrics_listener_close(struct metrics_listener *listener);

#endif
