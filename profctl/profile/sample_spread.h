/* How much CPU time each sample of a thread stands for.
 *
 * A sample says what its thread used since the one before that says anything: looks at where it
 * waits stand for no CPU time. Of that one tick was where the sample
 * was taken; the rest was used at other places, of which only the time is known: before the sample,
 * and after the one before it, as late as can be, for a thread uses no more CPU time than passes.
 * It is spread over the samples that the thread has in the same second, as each of them weighs;
 * what was used in a second without any is not sampled. Nothing is lost: weights and what is not
 * sampled add up to what the samples say. Pure; one thread. */
#ifndef PROFD_PROFCTL_SAMPLE_SPREAD_H
#define PROFD_PROFCTL_SAMPLE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

/* The kernel's own tick: where clocks of threads are looked at there, no sample is finer. It is
 * another one on some machines. */
#define SAMPLE_SPREAD_KERNEL_TICK_NS 4e6

struct spread_sample {
    double time_ns; /* on the profile's time line */
    double cpu_ns;  /* since the sample before; at least 0 */
    uint32_t stack; /* of the caller's; SAMPLE_SPREAD_NO_STACK: it has CPU time alone */
};

enum { SAMPLE_SPREAD_NO_STACK = UINT32_MAX };

struct sample_spread {
    double tick_ns;
    struct mapped_array samples; /* struct spread_sample, in the order of their times */
};

/* The tick of a process' clock: OWN_NS where the profile tells it; else ASKED_NS, what the session
 * asked for, but not less than the kernel's tick. 0: not known. */
double sample_spread_tick_ns(double own_ns, double asked_ns);

/* Begins a thread whose clock has that tick, which is not 0. Memory is kept. */
void sample_spread_begin(struct sample_spread *spread, double tick_ns);
/* Returns 0 or -ENOMEM. */
int sample_spread_add(struct sample_spread *spread, const struct spread_sample *sample);
void sample_spread_free(struct sample_spread *spread);

/* Replaces cpu_ns of each sample by its weight; those without stack, or without CPU time, have 0.
 * Returns what is not sampled, in ns. */
double sample_spread_weigh(struct sample_spread *spread);

#endif
