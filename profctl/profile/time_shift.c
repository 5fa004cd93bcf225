#include "profctl/profile/time_shift.h"

void time_shift_samples(struct thread_samples *samples, double ms)
{
    struct profile_sample *all = samples->samples.items;

    for (size_t i = 0; i < samples->samples.count; i++)
        all[i].time_ms += ms;
}

void time_shift_markers(struct thread_markers *markers, double ms)
{
    struct table_marker *all = markers->markers.items;

    for (size_t i = 0; i < markers->markers.count; i++) {
        all[i].start_ms += ms;
        all[i].end_ms += ms;
    }
}

void time_shift_counter(struct profile_counter *counter, double ms)
{
    struct counter_sample *all = counter->samples.items;

    for (size_t i = 0; i < counter->samples.count; i++)
        all[i].time_ms += ms;
}
