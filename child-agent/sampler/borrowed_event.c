#include "child-agent/sampler/borrowed_event.h"

#include <stdatomic.h>

#include "child-agent/census.h"
#include "child-agent/core.h"
#include "child-agent/sampler/perf_clock.h"

static struct event_loan *find_loan(void)
{
    return &core.arena.header->event_loan;
}

void borrowed_event_request(uint64_t interval_ns, int signal_number)
{
    struct event_wish *wish = &find_loan()->wish;
    atomic_store(&wish->interval_ns, interval_ns);
    if (atomic_exchange(&wish->signal, signal_number) != signal_number)
        census_report_wish();
}

int borrowed_event_signal(void)
{
    return atomic_load(&find_loan()->lent.signal);
}

bool borrowed_event_is_signal(const siginfo_t *info)
{
    const struct event_lent *lent = &find_loan()->lent;
    return perf_clock_is_of_number(info, atomic_load_explicit(&lent->number, memory_order_relaxed));
}

uint64_t borrowed_event_interval_ns(void)
{
    const struct event_loan *loan = find_loan();
    uint64_t interval_ns = atomic_load(&loan->lent.interval_ns);
    return interval_ns != 0 ? interval_ns : atomic_load(&loan->wish.interval_ns);
}
