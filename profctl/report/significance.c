#include "profctl/report/significance.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Of a sum, what no double shows. */
static const double negligible = 1e-17;

static double log_factorial(double number)
{
    int sign;

    return lgamma_r(number + 1, &sign);
}

static double log_choose(double from, double chosen)
{
    return log_factorial(from) - log_factorial(chosen) - log_factorial(from - chosen);
}

/* Both tails count, and each has no more than all. */
static double two_sided(double tail)
{
    return tail < 0.5 ? 2 * tail : 1;
}

/* --- Rates --- */

/* Up to HITS of COUNT, where each is one with PROBABILITY. Away from what is expected each term is
 * smaller than the one before, so that few of them matter. */
static double binomial_tail(double count, double hits, double probability)
{
    double odds_against = (1 - probability) / probability;
    double term = exp(log_choose(count, hits) + hits * log(probability) +
                      (count - hits) * log1p(-probability));
    double sum = term;

    for (; hits > 0 && term > sum * negligible; hits--) {
        term *= hits / (count - hits + 1) * odds_against;
        sum += term;
    }
    return sum;
}

double significance_of_rates(uint64_t before, uint64_t after, double before_share)
{
    double count = (double)before + (double)after;

    if ((double)before <= count * before_share)
        return two_sided(binomial_tail(count, (double)before, before_share));
    return two_sided(binomial_tail(count, (double)after, 1 - before_share));
}

/* --- Shares --- */

/* Up to HITS among DRAWN out of ALL, of which KIND are hits. */
static double hypergeometric_tail(double all, double kind, double drawn, double hits)
{
    double term =
        exp(log_choose(kind, hits) + log_choose(all - kind, drawn - hits) - log_choose(all, drawn));
    double sum = term;

    for (; hits > 0 && term > sum * negligible; hits--) {
        term *= hits / (kind - hits + 1) * ((all - kind - drawn + hits) / (drawn - hits + 1));
        sum += term;
    }
    return sum;
}

double significance_of_shares(uint64_t first, uint64_t first_of, uint64_t second,
                              uint64_t second_of)
{
    double all = (double)first_of + (double)second_of;
    double kind = (double)first + (double)second;

    if (first_of == 0 || second_of == 0)
        return 1;
    if ((double)first * all <= kind * (double)first_of)
        return two_sided(hypergeometric_tail(all, kind, (double)first_of, (double)first));
    return two_sided(hypergeometric_tail(all, kind, (double)second_of, (double)second));
}

/* --- Many --- */

static int compare_pointed_to(const void *left, const void *right)
{
    double a = **(double *const *)left, b = **(double *const *)right;

    return (a > b) - (a < b);
}

int significance_correct(double *probabilities, size_t count)
{
    double **ascending = malloc((count + 1) * sizeof(*ascending)), largest = 0;

    if (ascending == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        ascending[i] = &probabilities[i];
    qsort(ascending, count, sizeof(*ascending), compare_pointed_to);
    for (size_t i = 0; i < count; i++) {
        double corrected = *ascending[i] * (double)(count - i);
        if (corrected > largest)
            largest = corrected < 1 ? corrected : 1;
        *ascending[i] = largest;
    }
    free(ascending);
    return 0;
}
