/* What threads wrote of themselves, put in order of time.
 *
 * A thread may go on in another chunk and come back to the one before, so that rows arrive nearly
 * in order. The profile of one process is made in memory of its own mappings, without a malloc: the
 * heap's order needs no more than the rows themselves. */
#include <errno.h>

#include "json/gecko/gecko_context.h"

void timed_samples_add(struct process_context *process, struct thread_samples *samples,
                       const struct timed_row *row)
{
    struct mapped_array *rows = &samples->timed;
    const struct timed_row *last =
        rows->count > 0 ? (const struct timed_row *)rows->items + rows->count - 1 : NULL;
    samples->is_timed_unsorted |= last != NULL && last->time_ns > row->time_ns;
    struct timed_row *added = mapped_array_push(rows, sizeof(*added));
    if (added == NULL)
        failure_latch_set(process->latch, -ENOMEM);
    else
        *added = *row;
}

static void swap_rows(struct timed_row *a, struct timed_row *b)
{
    struct timed_row kept = *a;
    *a = *b;
    *b = kept;
}

/* Rows of one time are in the order of their CPU use, which makes the outcome one and the same. */
static bool is_before(const struct timed_row *a, const struct timed_row *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->cpu_us < b->cpu_us;
}

static void sift_down(struct timed_row *rows, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(&rows[child], &rows[child + 1]))
            child++;
        if (!is_before(&rows[root], &rows[child]))
            return;
        swap_rows(&rows[root], &rows[child]);
    }
}

void timed_samples_sort(struct thread_samples *samples)
{
    struct timed_row *rows = samples->timed.items;
    size_t count = samples->timed.count;
    if (!samples->is_timed_unsorted)
        return;
    for (size_t root = count / 2; root > 0; root--)
        sift_down(rows, root - 1, count);
    for (size_t end = count; end > 1; end--) {
        swap_rows(&rows[0], &rows[end - 1]);
        sift_down(rows, 0, end - 1);
    }
    samples->is_timed_unsorted = false;
}
