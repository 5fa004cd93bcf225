/* One line that shows the progress of a capture if standard error is a terminal, and nothing
 * otherwise. */
#ifndef PROFD_PROFCTL_PROGRESS_BAR_H
#define PROFD_PROFCTL_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_bar {
    bool is_shown;    /* standard error is a terminal, and --quiet was not given */
    bool is_drawn;    /* the line is visible */
    uint64_t last_ns; /* when it was drawn */
};

enum { PROGRESS_BAR_COLUMNS = 78 };

void progress_bar_init(struct progress_bar *bar, bool quiet);

/* Shows WHAT and FRACTION (0 to 1), at most a few times a second. */
void progress_bar_show(struct progress_bar *bar, double fraction, const char *what);

/* Removes the line. */
void progress_bar_clear(struct progress_bar *bar);

/* Formats the line for FRACTION into OUT, and returns OUT. Pure. */
const char *progress_bar_format(double fraction, const char *what,
                                char out[PROGRESS_BAR_COLUMNS + 1]);

#endif
