#include "profctl/push/push_values.h"

const struct push_value_name push_value_names[PUSH_VALUES] = {
    [PUSH_SAMPLES] = { "samples", "count" },
    [PUSH_CPU] = { "cpu", "nanoseconds" },
    [PUSH_ALLOC_OBJECTS] = { "alloc_objects", "count" },
    [PUSH_ALLOC_SPACE] = { "alloc_space", "bytes" },
    [PUSH_JANK] = { "jank", "nanoseconds" },
};

int64_t push_value_of(const struct sums *sums, enum push_value value)
{
    switch (value) {
    case PUSH_SAMPLES:
        return (int64_t)sums->samples;
    case PUSH_CPU:
        return sums->cpu_ns > 0 ? sums->cpu_ns : 0;
    case PUSH_ALLOC_OBJECTS:
        return (int64_t)sums->allocations;
    case PUSH_ALLOC_SPACE:
        return (int64_t)sums->allocated_bytes;
    default:
        return (int64_t)sums->jank_ns;
    }
}
