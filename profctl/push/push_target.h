/* Servers that take profiles as where an export goes: Pyroscope, Parca, and whoever speaks OTLP.
 * None can be asked what it has, so a batch whose answer was lost is sent again. One thread. */
#ifndef PROFD_PROFCTL_PUSH_TARGET_H
#define PROFD_PROFCTL_PUSH_TARGET_H

#include "common/push_url.h"
#include "profctl/export/export_target.h"
#include "profctl/failure.h"

struct push_target; /* opaque */

/* Opens no connection yet. SHOULD_STOP (NULL: never) ends a running request; a server that takes
 * longer than PATIENCE_MS (0: 20 s) for an answer is given up. Returns false with FAILURE filled:
 * the token's file cannot be read, or no memory. */
bool push_target_open(const struct push_url *url, bool (*should_stop)(void), uint64_t patience_ms,
                      struct push_target **out, struct failure *failure);
void push_target_close(struct push_target *target); /* NULL is allowed */

/* TARGET as a table; its owner is TARGET. */
struct export_target push_target_table(struct push_target *target);

#endif
