#include "child-agent/sampler/inherited_signals.h"

#include <errno.h>

#include "child-agent/core.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/thread_mask.h"

void inherited_signals_begin(struct inherited_signals *signals)
{
    int saved_errno = errno;
    *signals = (struct inherited_signals){ 0 };
    if (!core.is_enabled || atomic_load(&core.has_filter))
        return; /* a filter might not let us */
    signals->closed = thread_mask_close();
    signals->are_ignored = sampling_signal_lay_down();
    errno = saved_errno;
}

void inherited_signals_end(const struct inherited_signals *signals)
{
    int saved_errno = errno;
    if (signals->are_ignored)
        sampling_signal_take_up();
    thread_mask_reopen(signals->closed);
    errno = saved_errno;
}
