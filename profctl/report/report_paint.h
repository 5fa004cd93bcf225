/* How a report looks on a terminal: lines that fit its width, and colours. Reports are written as
 * plain text; what is here knows them line by line. Pure; one thread. */
#ifndef PROFD_PROFCTL_REPORT_PAINT_H
#define PROFD_PROFCTL_REPORT_PAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct report_paint {
    size_t columns; /* of the terminal; 0: lines may be as long as they like */
    bool has_colours;
    bool is_behind_text; /* the last line was not empty; false to begin with */
};

/* Writes LINE, which has no newline and nothing that a terminal obeys, to OUT as it is to look, and
 * a newline. Rows of tables, which begin with a blank, are cut with "…" where they are too long; a
 * parenthesis at the end, which names a library, stays where there is room. Headings are bold,
 * libraries faint, percentages redder the more they are. */
void report_paint_line(struct report_paint *paint, const char *line, size_t length, FILE *out);

#endif
