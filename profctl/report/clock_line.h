/* Sampling clocks in a line for people. Pure. */
#ifndef PROFD_PROFCTL_CLOCK_LINE_H
#define PROFD_PROFCTL_CLOCK_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/clock_summary.h"

enum { CLOCK_LINE_BYTES = 256 };

/* "cpu, 4 ms: the kernel's tick; --clock perf for 1 ms", where ASKED_NS is the interval that was
 * asked for (0: not known). With COUNTED it says for how many processes that is so. Returns OUT. */
const char *clock_line_format(const struct clock_group *group, uint64_t asked_ns, bool counted,
                              char out[CLOCK_LINE_BYTES]);

#endif
