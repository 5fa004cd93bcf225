/* Carries out what profd asks of the agent.
 *
 * Agent thread, which must hold agent_thread_hold()'s lock. */
#ifndef PROFD_AGENT_AGENT_ORDERS_H
#define PROFD_AGENT_AGENT_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of the agent's relation to profd. */
struct agent_standing {
    bool is_refused;  /* profd speaks another protocol: leave the program alone */
    bool is_welcome;  /* profd has welcomed the agent since the last pause */
    bool owes_update; /* profd awaits the next chunk update */
};

/* Carries out a message of KIND. Returns 0, or a negative errno, which ends the connection. */
int agent_orders_obey(struct agent_standing *standing, int kind, const uint8_t *payload,
                      size_t bytes);

/* Answers the request GATHER_ID with the profile of JSON_BYTES in FD, which is taken over. If FD is
 * -1 there is no profile: because of ERROR, a negative errno, or because profd has the arena.
 * Returns 0 or a negative errno. */
int agent_orders_send_profile(uint64_t gather_id, int fd, uint64_t json_bytes, int error);

#endif
