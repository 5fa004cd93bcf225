/* Whether two counts of samples differ by more than chance does. Pure; one thread.
 *
 * All tests are exact and two-sided: what is returned is the probability that chance alone brings
 * about what was counted, or something at least as far from what is expected, where nothing has
 * changed; from 0 to 1. */
#ifndef PROFD_PROFCTL_SIGNIFICANCE_H
#define PROFD_PROFCTL_SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

/* BEFORE and AFTER events were counted, and of all of them BEFORE_SHARE (above 0, below 1) are
 * expected before: the conditional test of two Poisson rates, which is binomial. */
double significance_of_rates(uint64_t before, uint64_t after, double before_share);

/* FIRST of FIRST_OF samples were of one kind, and SECOND of SECOND_OF: Fisher's test of equal
 * shares. No more are of the kind than there are. */
double significance_of_shares(uint64_t first, uint64_t first_of, uint64_t second,
                              uint64_t second_of);

/* Corrects the COUNT probabilities for being so many, by Holm's method: at most as often as LEVEL
 * says is any of them below it by chance. In place. Returns 0 or -ENOMEM. */
int significance_correct(double *probabilities, size_t count);

#endif
