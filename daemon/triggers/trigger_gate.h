/* Decides when an event is captured: one capture at a time, and none too soon after another of the
 * same cause.
 *
 * An event is known by its name, the cause. It is captured as soon as no other capture is being
 * made and TRIGGER_GAP_NS have passed since the last capture of the same cause began; captures
 * requested by hand do not wait for the gap. Events whose cause is already waiting become part of
 * that capture, and are counted. Pure: plain values, no clock. */
#ifndef PROFD_DAEMON_TRIGGER_GATE_H
#define PROFD_DAEMON_TRIGGER_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/trigger.h"

#define TRIGGER_GAP_NS UINT64_C(5000000000)
#define TRIGGER_NEVER  UINT64_MAX

enum { TRIGGER_CAUSES = 2 * TRIGGERS_MAX };

struct trigger_cause {
    char name[TRIGGER_NAME_BYTES]; /* "": a free place */
    pid_t pid;                     /* the first process it was about; 0: none */
    bool is_waiting;
    bool is_asked;     /* requested by hand */
    uint64_t count;    /* events since its last capture began */
    uint64_t since_ns; /* when it began to wait */
    uint64_t last_ns;  /* when its last capture began; 0: never */
};

struct trigger_gate {
    struct trigger_cause causes[TRIGGER_CAUSES];
    struct trigger_cause current; /* being captured, as it was when that began; name "": none */
    uint64_t joined;              /* events without a capture of their own */
    uint64_t lost;                /* events for whose cause there was no place */
};

/* NAME happened COUNT times, in PID (0: in no process). Returns false if there was no place for
 * it. */
bool trigger_gate_happened(struct trigger_gate *gate, const char *name, pid_t pid, uint64_t count,
                           bool is_asked, uint64_t now_ns);

/* Makes the cause that has waited longest the current one, if one is due. Returns false if not. */
bool trigger_gate_begin(struct trigger_gate *gate, uint64_t now_ns);

/* How many ms before NOW_NS a capture of CAUSE that begins at NOW_NS must cover in order to cover
 * LAST_MS (0: everything) before the event; 0: everything. */
uint64_t trigger_gate_reach_ms(const struct trigger_cause *cause, uint64_t last_ms,
                               uint64_t now_ns);

/* The current capture is over. */
void trigger_gate_end(struct trigger_gate *gate);

/* Whether NAME is already waiting for its capture. */
bool trigger_gate_awaits(const struct trigger_gate *gate, const char *name);

bool trigger_gate_is_busy(const struct trigger_gate *gate); /* something is current */
size_t trigger_gate_waiting(const struct trigger_gate *gate);

/* When trigger_gate_begin() can succeed, if nothing is current then; TRIGGER_NEVER: nothing waits.
 */
uint64_t trigger_gate_due_ns(const struct trigger_gate *gate);

/* Makes everything that waits due now, since there will be no later time for it. */
void trigger_gate_hurry(struct trigger_gate *gate);

#endif
