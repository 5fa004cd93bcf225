/* Books what `perf script -F tid,period,ip,sym` says of the threads of a program of known truth,
 * recorded by `perf record -e cpu-clock`, whose periods are ns:
 *
 *     1234    1000000
 *                 11c0 mix_integers
 *                 131e run_busy
 *
 * Frames of the kernel are innermost, and those that wait are as good as libc's. */
#ifndef TESTS_TRUTH_PERF_H
#define TESTS_TRUTH_PERF_H

#include "tests/system/programs/truth_books.h"

struct perf_sample {
    long tid;
    double period_ns;
    int chosen;
};

static void book_perf_sample(struct books *books, const struct perf_sample *sample)
{
    struct booked_thread *thread = find_thread(books, sample->tid);
    if (thread != NULL)
        books_book(books, thread, sample->chosen, sample->period_ns);
}

/* Fails when a line is none of these, or there is no sample at all. */
static int truth_book_perf(struct books *books, FILE *file)
{
    struct perf_sample sample = { 0 };
    unsigned long samples = 0;
    char line[4096], name[2048];
    while (fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == '\t' && sscanf(line, " %*x %2047[^\n]", name) == 1) {
            sample.chosen = books_choose(sample.chosen, books_classify(books, name));
        } else if (sscanf(line, "%ld %lf", &sample.tid, &sample.period_ns) == 2) {
            sample.chosen = SOME_NAME;
            samples++;
        } else if (line[0] == '\n') {
            book_perf_sample(books, &sample);
        } else {
            return -1;
        }
    }
    return samples > 0 ? 0 : -1;
}

#endif
