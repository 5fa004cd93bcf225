/* The messages of clients, one function each. For daemon/clients/.
 *
 * 0, or a negative errno for what is no such message: the connection is closed then. A descriptor
 * of FDS that is taken is -1 afterwards. Loop thread. */
#ifndef PROFD_DAEMON_CLIENT_MESSAGES_H
#define PROFD_DAEMON_CLIENT_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/requests/requests.h"

struct client;

int client_on_simple(struct client *client, enum request_kind kind, const uint8_t *payload,
                     size_t bytes);
int client_on_start(struct client *client, const uint8_t *payload, size_t bytes, int *fds,
                    size_t fd_count);
int client_on_capture(struct client *client, const uint8_t *payload, size_t bytes, int *fds,
                      size_t fd_count);

int client_on_status(struct client *client, const uint8_t *payload, size_t bytes);
int client_on_launch(struct client *client, const uint8_t *payload, size_t bytes);
int client_on_signal(struct client *client, const uint8_t *payload, size_t bytes);
int client_on_trigger(struct client *client, const uint8_t *payload, size_t bytes);
int client_on_groups(struct client *client, const uint8_t *payload, size_t bytes, const int *fds,
                     size_t fd_count);
int client_on_shutdown(struct client *client, const uint8_t *payload, size_t bytes);
int client_on_unknown(struct client *client, const uint8_t *payload, size_t bytes);

#endif
