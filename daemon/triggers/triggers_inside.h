/* What the files of triggers share: captures (triggers.c), and what is noted of processes
 * (triggers_notes.c). Nobody else includes it. */
#ifndef PROFD_DAEMON_TRIGGERS_INSIDE_H
#define PROFD_DAEMON_TRIGGERS_INSIDE_H

#include "daemon/triggers/triggers.h"

/* The trigger NAME happened in PID (0: nowhere) COUNT times; IS_ASKED: by somebody who wants it
 * now. A capture begins, or waits for its time; one for which there is no place is told of in the
 * log. */
void triggers_happened(struct triggers *triggers, const char *name, pid_t pid, uint64_t count,
                       bool is_asked);

#endif
