#include "ipc/groups/group_merge.h"

#include <errno.h>
#include <stdlib.h>

#include "buffer/hash_bytes.h"
#include "ipc/groups/group_bounds.h"
#include "ipc/groups/group_order.h"

/* A row, small enough to be moved about. Rows that belong together have one key. Others may have it
 * too, which a process that chooses its names can bring about: the rows themselves decide. */
struct placed_row {
    uint64_t key;
    const struct group_row *row;
};

/* --- Which rows --- */

static bool is_of_thread(const struct group_row *row)
{
    return (row->group.flags & GROUP_IS_TOP) != 0;
}

/* "other" is there from the beginning, and says nothing as long as it is empty. */
static bool is_empty_other(const struct group_row *row)
{
    return (row->group.flags & GROUP_IS_OTHER) && row->group.ticks == 0;
}

static bool row_counts(const struct group_row *row, bool of_threads)
{
    return is_of_thread(row) == of_threads && !is_empty_other(row);
}

static bool has_counted_row(const struct group_rows *rows, bool of_threads)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (row_counts(&rows->rows[i], of_threads))
            return true;
    }
    return false;
}

static bool is_told_by_threads(const struct group_rows *rows, enum group_rows_by by)
{
    if (by == GROUP_ROWS_BY_GROUP)
        return !has_counted_row(rows, false);
    return by == GROUP_ROWS_BY_THREAD || has_counted_row(rows, true);
}

/* --- Which of them belong together --- */

static uint64_t key_of_group(const struct group_view *group)
{
    uint64_t kind = hash_bytes(group->kind, group->kind_bytes);

    return hash_mix(hash_mix(kind, group->flags), hash_bytes(group->name, group->name_bytes));
}

static uint64_t key_of(const struct group_row *row, enum group_rows_by by)
{
    if (by == GROUP_ROWS_BY_GROUP)
        return key_of_group(&row->group);
    uint64_t process = hash_mix((uint64_t)row->process->pid, row->process->start_ns);
    return by == GROUP_ROWS_BY_PROCESS ? process : hash_mix(process, row->group.place);
}

static size_t place_rows(const struct group_rows *rows, enum group_rows_by by,
                         struct placed_row *out)
{
    bool of_threads = is_told_by_threads(rows, by);
    size_t count = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const struct group_row *row = &rows->rows[i];
        if (row_counts(row, of_threads))
            out[count++] = (struct placed_row){ key_of(row, by), row };
    }
    return count;
}

typedef int row_comparison(const void *left, const void *right);

static row_comparison *const comparisons[] = {
    [GROUP_ROWS_BY_GROUP] = group_row_compare_groups,
    [GROUP_ROWS_BY_PROCESS] = group_row_compare_processes,
    [GROUP_ROWS_BY_THREAD] = group_row_compare,
};

/* By key, and else in the order of the snapshot. */
static int compare_placed(const void *left, const void *right)
{
    const struct placed_row *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* By what they are, and else in the order of the snapshot. */
static int compare_namesakes(const void *left, const void *right, void *comparison)
{
    const struct placed_row *a = left, *b = right;
    row_comparison *const *compare = comparison;
    int order = (*compare)(a->row, b->row);

    return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static bool are_all_same(const struct placed_row *placed, size_t count, row_comparison *compare)
{
    for (size_t i = 1; i < count; i++) {
        if (compare(placed[0].row, placed[i].row) != 0)
            return false;
    }
    return true;
}

/* How many of the COUNT rows, of which there is one at least, have the key of the first. */
static size_t count_namesakes(const struct placed_row *placed, size_t count)
{
    size_t same = 1;

    while (same < count && placed[same].key == placed[0].key)
        same++;
    return same;
}

/* Those of one key are numbered from NUMBER on, and *NUMBER is that after them. */
static void number_namesakes(struct placed_row *placed, size_t count, row_comparison *compare,
                             uint64_t *number)
{
    bool is_one = are_all_same(placed, count, compare);

    if (!is_one)
        qsort_r(placed, count, sizeof(*placed), compare_namesakes, &compare);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !is_one && compare(placed[i - 1].row, placed[i].row) != 0)
            (*number)++;
        placed[i].key = *number;
    }
    (*number)++;
}

/* Keys become numbers from 0 on, one for all that belong together. Returns how many. */
static size_t number_rows(struct placed_row *placed, size_t count, row_comparison *compare)
{
    uint64_t number = 0;

    qsort(placed, count, sizeof(*placed), compare_placed);
    while (count > 0) {
        size_t same = count_namesakes(placed, count);
        number_namesakes(placed, same, compare, &number);
        placed += same;
        count -= same;
    }
    return number;
}

/* --- Adding up --- */

static void add_group(struct group_view *sum, const struct group_view *group)
{
    group_sum_add(&sum->ticks, group->ticks);
    group_sum_add(&sum->costs.cpu_ns, group->costs.cpu_ns);
    group_sum_add(&sum->costs.wall_ns, group->costs.wall_ns);
    group_sum_add(&sum->costs.blocked_ns, group->costs.blocked_ns);
    group_sum_add(&sum->costs.unattributed_ns, group->costs.unattributed_ns);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        group_sum_add(&sum->cpu_exceeded[i], group->cpu_exceeded[i]);
        group_sum_add(&sum->wall_exceeded[i], group->wall_exceeded[i]);
    }
}

static void add_row(struct group_row *sum, const struct group_row *row)
{
    add_group(&sum->group, &row->group);
    sum->merged += row->merged;
    if (row->running_ns > sum->running_ns)
        sum->running_ns = row->running_ns;
}

/* OUT has a row for each number. */
static void sum_rows(const struct placed_row *placed, size_t count, struct group_row *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && placed[i].key == placed[i - 1].key)
            add_row(&out[placed[i].key], placed[i].row);
        else
            out[placed[i].key] = *placed[i].row;
    }
}

int group_rows_merge(struct group_rows *rows, enum group_rows_by by)
{
    struct placed_row *placed = malloc((rows->count + 1) * sizeof(*placed));
    struct group_row *merged = NULL;
    int error = -ENOMEM;

    if (placed == NULL)
        goto cleanup;
    size_t count = place_rows(rows, by, placed);
    size_t different = number_rows(placed, count, comparisons[by]);
    merged = malloc((different + 1) * sizeof(*merged));
    if (merged == NULL)
        goto cleanup;
    sum_rows(placed, count, merged);
    free(rows->rows);
    rows->rows = merged;
    rows->count = different;
    error = 0;
cleanup:
    free(placed);
    return error;
}
