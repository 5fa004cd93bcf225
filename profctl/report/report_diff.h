/* What has changed from one profile to another, function by function, and what of it is more than
 * chance.
 *
 * Functions are matched by name and library, over all processes and threads of both. Samples are
 * what was counted, so the test is one of their numbers; where the samples of a function stand for
 * different amounts of CPU time, it has as many as would know the sum as well if they were equal
 * (the square of the sum, by the sum of squares). What else differs between two runs, such as the
 * load of the machine, no test of samples knows. One thread. */
#ifndef PROFD_PROFCTL_REPORT_DIFF_H
#define PROFD_PROFCTL_REPORT_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profctl/report/report.h"

/* Corrected probabilities below this are called significant. */
#define REPORT_DIFF_LEVEL 0.01
/* Functions with fewer samples in both together are not tested, so that they do not make it harder
 * for others. */
enum { REPORT_DIFF_FEWEST_SAMPLES = 10 };

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

enum diff_verdict {
    DIFF_TOO_FEW,     /* samples to be tested */
    DIFF_CHANCE,      /* no more than chance may do */
    DIFF_SIGNIFICANT, /* more than that */
};

/* A function's self or total, before and after. */
struct diff_measure {
    double amount[DIFF_SIDES]; /* ns of CPU time, or samples */
    double share[DIFF_SIDES];  /* of all that was sampled, from 0 to 1 */
    uint64_t samples[DIFF_SIDES];
    double change;      /* of what is compared: in ns, or of the share */
    double probability; /* by chance, corrected; 1 where it was not tested */
    enum diff_verdict verdict;
};

struct function_diff {
    const char *name; /* "f (in lib)", as in the profile; not terminated */
    size_t length;
    bool is_in[DIFF_SIDES];
    struct diff_measure self, total;
};

struct report_diff {
    struct report tables[DIFF_SIDES]; /* owned: sums of the reports, which have the names */
    bool is_by_cpu;                   /* amounts are of CPU time; else samples */
    bool compares_shares;             /* else the amounts */
    double sampled[DIFF_SIDES];       /* all amounts together */
    size_t comparisons;               /* that were tested */
    struct mapped_array functions;    /* struct function_diff: the significant ones first, then
                                       * those whose self has changed most */
};

/* Compares two reports. Without CPU time it is shares that are compared, since the time between
 * samples may differ. Returns 0, -ENOMEM, or -EINVAL when only one of them knows CPU time; OUT
 * needs report_diff_free() in any case. */
int report_diff_make(const struct report *before, const struct report *after, bool compare_shares,
                     struct report_diff *out);
void report_diff_free(struct report_diff *diff);

/* The first N functions; FILES are named. */
void report_diff_print_text(const struct report_diff *diff, const char *const files[DIFF_SIDES],
                            uint64_t n, FILE *out);
/* Prints the same as one line of JSON, documented in `profctl report --help`. Returns 0, -ENOMEM or
 * -EIO. */
int report_diff_print_json(const struct report_diff *diff, const char *const files[DIFF_SIDES],
                           uint64_t n, FILE *out);

#endif
