/* The samples of one thread of a Gecko profile, read into memory, with the CPU time that each
 * stands for. Memory is reused from thread to thread. One thread. */
#ifndef PROFD_PROFCTL_THREAD_SAMPLES_H
#define PROFD_PROFCTL_THREAD_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "profctl/profile/sample_spread.h"

struct profile_sample {
    double time_ms;   /* on the profile's time line; 0: not known */
    double cpu_ns;    /* that the thread used since the sample before */
    double weight_ns; /* CPU time that the sample stands for (sample_spread.h); 0 without a stack,
                       * and where CPU use is not told */
    double event_delay_ms; /* for which an event kept the thread's event loop; 0: none, not told */
    uint32_t stack;        /* TABLE_NONE: it has CPU time alone */
    bool is_active;        /* the thread had used CPU, or that is not told */
};

/* A zeroed struct is empty. */
struct thread_samples {
    struct mapped_array samples; /* struct profile_sample, in the order of the profile */
    struct sample_spread spread; /* the same, to be weighed */
    bool knows_cpu;              /* they tell CPU use */
    double not_sampled_ns;       /* CPU time that no sample stands for */
};

/* What the profile says of the numbers in it. */
struct sample_terms {
    uint32_t stack_count; /* of the thread */
    double cpu_unit_ns;   /* of threadCPUDelta; negative: none that is a time */
    double tick_ns;       /* sample_spread_tick_ns() */
};

void thread_samples_free(struct thread_samples *samples);

/* Drops the thread but keeps the memory. */
void thread_samples_clear(struct thread_samples *samples);

/* Reads the value of "samples", whose key READER has just returned. Returns 0, -EPROTO if it is not
 * such a table, -ENOMEM, or the reader's error. */
int thread_samples_read(struct thread_samples *samples, const struct sample_terms *terms,
                        struct json_reader *reader);

#endif
