/* The lengths from which an iteration of a performance group counts as janky. */
#ifndef PROFD_COMMON_GROUP_THRESHOLDS_H
#define PROFD_COMMON_GROUP_THRESHOLDS_H

/* CPU time, and time on the wall, of one iteration that exceeded 1 ms, 2 ms, 4 ms … 512 ms. */
enum { GROUP_THRESHOLDS = 10 };

#endif
