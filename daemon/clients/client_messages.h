/* The handlers of the messages that clients send, one function each. For daemon/clients/ only.
 *
 * Each returns 0, or a negative errno if the payload is not a valid message: then the connection is
 * closed. A descriptor in FDS that is taken over is set to -1. Loop thread. */
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
