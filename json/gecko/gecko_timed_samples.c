/* What threads wrote of themselves, put in order of time: a thread may go on in another chunk and
 * come back to the one before. */
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

/* Rows of one time stay in the order of their CPU use, which makes the outcome one and the same. */
static bool is_before(const void *one, const void *other)
{
    const struct timed_row *a = one, *b = other;
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->cpu_us < b->cpu_us;
}

void timed_samples_sort(struct thread_samples *samples)
{
    if (samples->is_timed_unsorted)
        mapped_array_sort(&samples->timed, sizeof(struct timed_row), is_before);
    samples->is_timed_unsorted = false;
}
