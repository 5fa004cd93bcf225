/* When what happened is captured: one capture at a time, and not one cause again and again.
 *
 * What happens is known by its name, the cause. It is captured as soon as no other capture is being
 * made and the last one of the same cause began TRIGGER_GAP_NS ago; what somebody asked for by hand
 * does not wait for the gap. Whatever happens while its cause waits already is part of that
 * capture, and counted. Pure: plain values, no clock. */
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
    pid_t pid;                     /* whom it was about first; 0: nobody */
    bool is_waiting;
    bool is_asked;     /* by hand */
    uint64_t count;    /* times that it happened since its last capture began */
    uint64_t since_ns; /* when it began to wait */
    uint64_t last_ns;  /* when its last capture began; 0: never */
};

struct trigger_gate {
    struct trigger_cause causes[TRIGGER_CAUSES];
    struct trigger_cause current; /* being captured, as it was when that began; name "": none */
    uint64_t joined;              /* times that something happened that has no capture of its own */
    uint64_t lost;                /* times that there was no place for another cause */
};

/* NAME happened COUNT times, to PID (0: to nobody). False when there was no place for it. */
bool trigger_gate_happened(struct trigger_gate *gate, const char *name, pid_t pid, uint64_t count,
                           bool is_asked, uint64_t now_ns);

/* Makes the cause that has waited longest the current one, if one is due. False: not now. */
bool trigger_gate_begin(struct trigger_gate *gate, uint64_t now_ns);

/* How much of the time before NOW_NS, in ms, a capture of CAUSE holds that begins then and is to
 * hold LAST_MS (0: everything) before what happened; 0: everything. */
uint64_t trigger_gate_reach_ms(const struct trigger_cause *cause, uint64_t last_ms,
                               uint64_t now_ns);

/* The current capture is over. */
void trigger_gate_end(struct trigger_gate *gate);

/* Whether NAME waits for its capture already. */
bool trigger_gate_awaits(const struct trigger_gate *gate, const char *name);

bool trigger_gate_is_busy(const struct trigger_gate *gate); /* something is current */
size_t trigger_gate_waiting(const struct trigger_gate *gate);

/* When trigger_gate_begin() will succeed, if nothing is current then; TRIGGER_NEVER: nothing waits.
 */
uint64_t trigger_gate_due_ns(const struct trigger_gate *gate);

/* Whatever waits is due now: there is no later. */
void trigger_gate_hurry(struct trigger_gate *gate);

#endif
