/* The socket that a view is served at: on loopback, and nowhere else. */
#ifndef PROFD_PROFCTL_VIEW_SOCKET_H
#define PROFD_PROFCTL_VIEW_SOCKET_H

#include <stdint.h>

/* Listens at PORT of 127.0.0.1; 0: one that is free. 0 with the descriptor in *FD and the port in
 * *PORT, or a negative errno (-EADDRINUSE: it is taken). */
int view_socket_listen(uint16_t *port, int *fd);

#endif
