/* The stacks that we have sent to the server, by their hashes; each is sent once a month. One
 * thread. */
#ifndef PROFD_PROFCTL_KNOWN_STACKS_H
#define PROFD_PROFCTL_KNOWN_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/unique_strings.h"

enum { KNOWN_STACKS_MAX = 1000000 }; /* 40 bytes each */

/* Initialised by known_stacks_init(). */
struct known_stacks {
    struct failure_latch latch;
    struct unique_strings hashes;
    int month; /* of the server's partitions: years since 1900 * 12 + months */
};

void known_stacks_init(struct known_stacks *known);
void known_stacks_fini(struct known_stacks *known);

/* Forgets all stacks if the minute is in another month, or if there are too many. */
void known_stacks_enter_minute(struct known_stacks *known, uint32_t minute_s);

/* Forgets all stacks, because some may be missing on the server. */
void known_stacks_forget(struct known_stacks *known);

/* Adds HASH (STACK_HASH_BYTES). Returns whether it is new. */
bool known_stacks_add(struct known_stacks *known, const char *hash);

#endif
