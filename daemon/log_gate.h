/* Keeps many processes from filling the log with lines of one kind: a few lines a second go
 * through, the others are only counted. Pure. */
#ifndef PROFD_DAEMON_LOG_GATE_H
#define PROFD_DAEMON_LOG_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum { LOG_GATE_LINES = 10 }; /* in a second */

/* A zeroed one has let nothing through yet. */
struct log_gate {
    uint64_t second;
    unsigned lines;     /* in it */
    uint64_t held_back; /* since the last line that went through */
};

/* Whether a line may go through at NOW_NS. If so, *HELD_BACK is the number of lines held back since
 * the last one that went through. */
bool log_gate_opens(struct log_gate *gate, uint64_t now_ns, uint64_t *held_back);

#endif
