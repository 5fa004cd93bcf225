/* steady_records TALLY: records steps without a pause until it gets SIGUSR1: two labels, one below
 * the other, an addition to a counter and, each hundredth time, a marker. Then it writes into the
 * file TALLY how many markers and steps there were, and works below no label until it is killed. */
#include <profd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"

enum { STEPS_PER_MARKER = 100 };

PROFD_COUNTER(steps, "steps", "Work", "steps that were made");

static volatile sig_atomic_t is_over;

static void end_steps(int number)
{
    (void)number;
    is_over = true;
}

/* It takes its time now and then, so that samples find it there. */
static void make_step(bool is_long)
{
    PROFD_LABEL_PUSH("outer label", PROFD_CATEGORY_COMPUTE);
    PROFD_LABEL_PUSH("inner label", PROFD_CATEGORY_COMPUTE);
    profd_counter_add(&steps, 1);
    if (is_long)
        burn_outer(0.0001);
    PROFD_LABEL_POP();
    PROFD_LABEL_POP();
}

static int write_tally(const char *path, uint64_t markers, uint64_t count)
{
    FILE *file = fopen(path, "w");
    if (file == NULL ||
        fprintf(file, "%llu %llu\n", (unsigned long long)markers, (unsigned long long)count) < 0)
        return 1;
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    uint64_t count = 0, markers = 0;

    if (argc != 2 || idle_thread_if_wanted() != 0 || signal(SIGUSR1, end_steps) == SIG_ERR)
        return 1;
    while (!is_over) {
        bool has_marker = ++count % STEPS_PER_MARKER == 0;
        make_step(has_marker);
        if (!has_marker)
            continue;
        PROFD_MARKER("step", PROFD_CATEGORY_OTHER);
        markers++;
    }
    if (write_tally(argv[1], markers, count) != 0)
        return 1;
    for (;;)
        burn_outer(0.001);
}
