/* Shared by triggers.c, which makes the captures, and triggers_notes.c, which takes note of
 * processes. Nobody else includes it. */
#ifndef PROFD_DAEMON_TRIGGERS_INSIDE_H
#define PROFD_DAEMON_TRIGGERS_INSIDE_H

#include "daemon/triggers/triggers.h"

/* The trigger NAME happened COUNT times in PID (0: in no process). IS_ASKED: somebody requested it
 * by hand. A capture begins or waits; if there is no place for it, that is logged. */
void triggers_happened(struct triggers *triggers, const char *name, pid_t pid, uint64_t count,
                       bool is_asked);

#endif
