#include "child-agent/counters/sampler_counters.h"

#include <signal.h>
#include <string.h>

#include "child-agent/counters/counters.h"
#include "child-agent/guest/real_calls.h"

void sampler_counters_begin(struct sampler_counters *counters, uint64_t features)
{
    sigset_t all, mask;
    process_counters_begin(&counters->process, features);
    sigfillset(&all);
    (void)real_pthread_sigmask(SIG_SETMASK, &all, &mask);
    counters_read(counters->written, counters_count());
    process_counters_apply(&counters->process, counters->written);
    (void)real_pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* A chunk that has no totals gets those of before. 0 or -errno. */
static int write_totals(struct sampler_counters *counters, struct sample_encoder *encoder,
                        uint32_t count)
{
    size_t bytes = counter_totals_entry_write(counters->entry, 0, counters->written, count);
    int error = sample_encoder_put(encoder, counters->entry, bytes);
    if (error == 0)
        counters->epoch = sample_encoder_epoch(encoder);
    return error;
}

void sampler_counters_record(struct sampler_counters *counters, struct sample_encoder *encoder)
{
    uint32_t count = counters_count();
    /* Both entries, so that they are in one chunk. What finds none is counted by the writer. */
    size_t most_bytes =
        2 * (COUNTERS_ENTRY_START_BYTES + (size_t)count * COUNTERS_ENTRY_EACH_BYTES);
    if (count == 0 || sample_encoder_make_room(encoder, most_bytes) < 0)
        return;
    if (counters->epoch != sample_encoder_epoch(encoder) &&
        write_totals(counters, encoder, count) < 0)
        return;
    counters_read(counters->now, count);
    process_counters_apply(&counters->process, counters->now);
    size_t bytes =
        counters_entry_write(counters->entry, clock_ticks() - sample_encoder_tick_ticks(encoder),
                             counters->written, counters->now, count);
    if (bytes == 0 || sample_encoder_put(encoder, counters->entry, bytes) < 0)
        return;
    memcpy(counters->written, counters->now, count * sizeof(counters->now[0]));
}
