#include "profctl/commands/progress_bar.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"

enum { BAR_CELLS = 24, REDRAW_AFTER_NS = 50 * NS_PER_MS };

void progress_bar_init(struct progress_bar *bar, bool quiet)
{
    *bar = (struct progress_bar){ .is_shown = !quiet && isatty(STDERR_FILENO) };
}

const char *progress_bar_format(double fraction, const char *what,
                                char out[PROGRESS_BAR_COLUMNS + 1])
{
    char cells[BAR_CELLS + 1];
    int full;

    if (!(fraction >= 0))
        fraction = 0;
    if (fraction > 1)
        fraction = 1;
    full = (int)(fraction * BAR_CELLS);
    memset(cells, ' ', BAR_CELLS);
    memset(cells, '=', (size_t)full);
    cells[BAR_CELLS] = '\0';
    snprintf(out, PROGRESS_BAR_COLUMNS + 1, "[%s] %3d%%  %s", cells, (int)(fraction * 100), what);
    return out;
}

void progress_bar_show(struct progress_bar *bar, double fraction, const char *what)
{
    char line[PROGRESS_BAR_COLUMNS + 1];
    uint64_t now;

    if (!bar->is_shown)
        return;
    now = clock_monotonic_ns();
    if (bar->is_drawn && now - bar->last_ns < REDRAW_AFTER_NS)
        return;
    bar->is_drawn = true;
    bar->last_ns = now;
    fprintf(stderr, "\r%s\033[K", progress_bar_format(fraction, what, line));
    fflush(stderr);
}

void progress_bar_clear(struct progress_bar *bar)
{
    if (bar->is_drawn)
        fputs("\r\033[K", stderr);
    bar->is_drawn = false;
}
