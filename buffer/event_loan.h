/* A perf event (buffer/perf_event.h) that profd keeps for the only thread of a process. So the
 * agent needs neither a descriptor there nor a thread with a descriptor table of its own.
 *
 * It is part of an arena. The process writes what it wants, profd what it lends. Each may read the
 * other's part at any time. */
#ifndef PROFD_BUFFER_EVENT_LOAN_H
#define PROFD_BUFFER_EVENT_LOAN_H

#include <stdatomic.h>
#include <stdint.h>

/* What the process asks for. */
struct event_wish {
    _Atomic uint64_t interval_ns; /* stored before the signal */
    _Atomic int32_t signal;       /* 0: no event */
    int32_t reserved;
};

/* What profd has lent to the process. */
struct event_lent {
    _Atomic uint64_t interval_ns; /* as granted by the kernel */
    _Atomic int32_t signal;       /* 0: nothing is lent */
    /* The number that the event's signals carry as their descriptor. It stays after the event has
     * ended, since its last signal may still be pending. */
    _Atomic int32_t number;
};

struct event_loan {
    struct event_wish wish;
    struct event_lent lent;
};

#endif
