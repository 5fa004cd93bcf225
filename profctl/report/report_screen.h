/* Where a report is shown: on a terminal, in its width and in colours, through a pager; anywhere
 * else as plain text.
 *
 * On a terminal lines go through $PAGER, or `less -FRX`, which ends by itself when they fit on the
 * screen; "cat" or an empty PAGER means none. Colours are left out where NO_COLOR is set and
 * not empty, and where TERM is "dumb" or not set. One thread. */
#ifndef PROFD_PROFCTL_REPORT_SCREEN_H
#define PROFD_PROFCTL_REPORT_SCREEN_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "json/mapped_array.h"
#include "profctl/failure.h"
#include "profctl/report/report_paint.h"

struct report_screen {
    FILE *out; /* to be written to; stdout where that is no terminal */
    struct report_paint paint;
    bool wants_pager;
    FILE *target;             /* the pager, or stdout; NULL: nothing was written yet */
    pid_t pager;              /* 0: there is none */
    struct mapped_array line; /* char: the line that is not complete yet */
};

/* Prepares SCREEN, which stays where it is; the pager begins with the first line. IS_PLAIN: as if
 * there were no terminal (JSON). Returns 0 or -ENOMEM, then with stdout as it is. */
int report_screen_open(struct report_screen *screen, bool is_plain, bool wants_pager);

/* Shows what is left, and waits until the user has left the pager. 0, or the first error in
 * writing; who leaves the pager early makes none. */
int report_screen_close(struct report_screen *screen);

/* Closes SCREEN, to which a report was printed; ERR is what became of that. EXIT_CODE_SUCCESS, or
 * FAILURE's. */
int report_screen_settle(struct report_screen *screen, int error, struct failure *failure);

#endif
