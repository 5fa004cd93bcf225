/* The sampling clock as people write it: `--clock perf`. Pure. */
#ifndef PROFD_COMMON_CLOCK_CHOICE_H
#define PROFD_COMMON_CLOCK_CHOICE_H

#include "common/sampling_clock.h"

#define CLOCK_CHOICES "auto, cpu, perf, wall"

/* The clock that TEXT names, in lower case. 0, or -EINVAL for a word that names none. */
int clock_choice_parse(const char *text, enum sampling_clock *clock);

/* The name that WORD was most likely meant to be; NULL when none is near. */
const char *clock_choice_nearest(const char *word);

#endif
