/* The sampling clock as written by users: `--clock perf`. Pure. */
#ifndef PROFD_COMMON_CLOCK_CHOICE_H
#define PROFD_COMMON_CLOCK_CHOICE_H

#include "common/sampling_clock.h"

#define CLOCK_CHOICES "auto, cpu, perf, wall"

/* Parses TEXT, the name of a clock in lower case. Returns 0, or -EINVAL if it is not one. */
int clock_choice_parse(const char *text, enum sampling_clock *clock);

/* The name that WORD was most likely meant to be; NULL if none is similar. */
const char *clock_choice_nearest(const char *word);

#endif
