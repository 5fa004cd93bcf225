/* Connections that have not said yet what they are: an agent or a client.
 *
 * The first message decides, and must come soon. Whatever else comes ends the connection, with one
 * line in the log; nobody else notices. Strangers get little of profd's descriptors meanwhile
 * (daemon/children/admission.h). Loop thread. */
#ifndef PROFD_DAEMON_VISITORS_H
#define PROFD_DAEMON_VISITORS_H

#include <stdbool.h>

struct daemon;
struct listener;
struct peer_credentials;

/* Before anybody may come, with the limit of descriptors as it stays. */
void visitors_init(struct daemon *profd);

/* A listener_on_accept; OWNER is profd. */
void visitors_on_accept(struct listener *listener, int fd, const struct peer_credentials *peer,
                        void *owner);

/* Serves FD (taken over on every path) as the private client's. */
int visitors_add_private(struct daemon *profd, int fd);

void visitors_close(struct daemon *profd);

#endif
