/* Moves what was read of a process onto the time line of the root, by so many ms. Pure. */
#ifndef PROFD_PROFCTL_TIME_SHIFT_H
#define PROFD_PROFCTL_TIME_SHIFT_H

#include "profctl/profile/profile_counter.h"
#include "profctl/profile/thread_markers.h"
#include "profctl/profile/thread_samples.h"

void time_shift_samples(struct thread_samples *samples, double ms);
void time_shift_markers(struct thread_markers *markers, double ms);
void time_shift_counter(struct profile_counter *counter, double ms);

#endif
