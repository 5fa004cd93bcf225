/* What profd asks of the agent, and what the agent does about it.
 *
 * Agent thread, which holds agent_thread_hold()'s lock. */
#ifndef PROFD_AGENT_AGENT_ORDERS_H
#define PROFD_AGENT_AGENT_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the agent stands with profd. */
struct agent_standing {
    bool is_refused;  /* profd speaks another protocol: leave the program alone */
    bool is_welcome;  /* since the last pause, profd has taken us in */
    bool owes_update; /* profd awaits the next chunk update */
};

/* Does what a message of KIND asks for. 0, or a negative errno, which ends the connection. */
int agent_orders_obey(struct agent_standing *standing, int kind, const uint8_t *payload,
                      size_t bytes);

/* Answers the request GATHER_ID with the profile of JSON_BYTES in FD (taken over; -1: there is
 * none, for ERROR, a negative errno, or since profd has the arena). 0 or a negative errno. */
int agent_orders_send_profile(uint64_t gather_id, int fd, uint64_t json_bytes, int error);

#endif
