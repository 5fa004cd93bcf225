/* A perf event (buffer/perf_event.h) that profd keeps for the only thread of a process, so that the
 * agent needs no descriptor there, nor a thread with a table of its own.
 *
 * Part of an arena. The process writes what it wants, profd what it lends; each reads the other's
 * part at any time. */
#ifndef PROFD_BUFFER_EVENT_LOAN_H
#define PROFD_BUFFER_EVENT_LOAN_H

#include <stdatomic.h>
#include <stdint.h>

/* What the process wants. */
struct event_wish {
    _Atomic uint64_t interval_ns; /* stored before the signal */
    _Atomic int32_t signal;       /* 0: no event */
    int32_t reserved;
};

/* What it has. */
struct event_lent {
    _Atomic uint64_t interval_ns; /* as the kernel grants it */
    _Atomic int32_t signal;       /* 0: nothing is lent */
    /* That the event's signals show as their descriptor. It stays when the event has ended, since
     * the last signal may be under way. */
    _Atomic int32_t number;
};

struct event_loan {
    struct event_wish wish;
    struct event_lent lent;
};

#endif
