#include "ipc/groups/group_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/groups/group_bounds.h"

static void add(uint64_t *sum, uint64_t value)
{
    *sum = group_sum_of(*sum, value);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* --- Reading --- */

static int push_row(struct group_rows *rows, size_t *room, const struct group_row *row)
{
    if (rows->count == *room) {
        size_t more = *room == 0 ? 256 : *room * 2;
        struct group_row *grown = realloc(rows->rows, more * sizeof(*grown));
        if (grown == NULL)
            return -ENOMEM;
        rows->rows = grown;
        *room = more;
    }
    rows->rows[rows->count++] = *row;
    return 0;
}

static uint64_t running_ns(const struct group_rows *rows, const struct group_row *row)
{
    uint64_t since_ns = row->group.running_since_ns;
    bool is_running = since_ns != 0 && row->process.end_ns == 0;

    return is_running && rows->head.now_ns > since_ns ? rows->head.now_ns - since_ns : 0;
}

static int read_process(struct group_rows *rows, size_t *room,
                        const struct group_snapshot_view *view)
{
    struct group_reader reader = { .memory = view->table, .bytes = view->process.table_bytes };
    struct group_row row = { .process = view->process,
                             .process_name = view->name,
                             .process_name_bytes = view->process.name_bytes,
                             .merged = 1 };
    const struct group_bounds bounds =
        group_bounds_of(&view->process, rows->head.processors, rows->head.now_ns);
    int err = 0;

    add(&rows->folded, group_bounds_count(&bounds, view->process.folded));
    add(&rows->cancelled, group_bounds_count(&bounds, view->process.cancelled));
    add(&rows->moved, group_bounds_count(&bounds, view->process.moved));
    while (err == 0 && group_reader_next(&reader, &row.group)) {
        group_bounds_cut(&bounds, &row.group);
        row.running_ns = running_ns(rows, &row);
        err = push_row(rows, room, &row);
    }
    return err;
}

static int compare_places(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;

    return compare_numbers(a->group.place, b->group.place);
}

/* Those of VIEW, whose COUNT rows are ROWS, in the order of their places. */
static void read_peaks(struct group_row *rows, size_t count, const struct group_snapshot_view *view)
{
    struct group_reader reader = { .memory = view->table, .bytes = view->process.table_bytes };
    const struct group_peaks *peaks;

    while (count > 0 && group_reader_next_peaks(&reader, &peaks)) {
        const struct group_row key = { .group.place = peaks->of };
        struct group_row *row = bsearch(&key, rows, count, sizeof(*rows), compare_places);
        if (row != NULL)
            row->peaks = peaks;
    }
}

int group_rows_read(const void *memory, size_t bytes, struct group_rows *out)
{
    struct group_snapshot_reader reader = { .memory = memory, .bytes = bytes };
    struct group_snapshot_view view;
    size_t room = 0;
    int err = 0;

    *out = (struct group_rows){ 0 };
    if (!group_snapshot_open(&reader, &out->head))
        return -EPROTO;
    while (err == 0 && group_snapshot_next(&reader, &view)) {
        size_t first = out->count;
        err = read_process(out, &room, &view);
        if (err == 0)
            read_peaks(out->rows + first, out->count - first, &view);
    }
    if (err < 0)
        group_rows_free(out);
    return err;
}

void group_rows_free(struct group_rows *rows)
{
    free(rows->rows);
    *rows = (struct group_rows){ 0 };
}

/* --- Comparing --- */

static int compare_texts(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);

    return order != 0 ? order : compare_numbers(a_bytes, b_bytes);
}

static int compare_process(const struct group_row *a, const struct group_row *b)
{
    int order = compare_numbers((uint64_t)a->process.pid, (uint64_t)b->process.pid);

    return order != 0 ? order : compare_numbers(a->process.start_ns, b->process.start_ns);
}

static int compare_group(const struct group_row *a, const struct group_row *b)
{
    const struct group_view *left = &a->group, *right = &b->group;
    int order = compare_texts(left->kind, left->kind_bytes, right->kind, right->kind_bytes);

    if (order == 0)
        order = compare_texts(left->name, left->name_bytes, right->name, right->name_bytes);
    return order != 0 ? order : compare_numbers(left->flags, right->flags);
}

static int compare_identity(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_process(a, b);

    return order != 0 ? order : compare_numbers(a->group.place, b->group.place);
}

static int compare_by_group(const void *left, const void *right)
{
    return compare_group(left, right);
}

static int compare_by_process(const void *left, const void *right)
{
    return compare_process(left, right);
}

static void sort_rows(struct group_rows *rows, int (*compare)(const void *, const void *))
{
    if (rows->count > 1)
        qsort(rows->rows, rows->count, sizeof(*rows->rows), compare);
}

/* --- Subtracting --- */

/* A process may write anything: what shrank counts as new. */
static void take_off(uint64_t *later, uint64_t earlier)
{
    if (*later >= earlier)
        *later -= earlier;
}

/* Sums of processes, of which some may have been forgotten. */
static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void subtract_group(struct group_view *later, const struct group_view *earlier)
{
    take_off(&later->ticks, earlier->ticks);
    take_off(&later->costs.cpu_ns, earlier->costs.cpu_ns);
    take_off(&later->costs.wall_ns, earlier->costs.wall_ns);
    take_off(&later->costs.blocked_ns, earlier->costs.blocked_ns);
    take_off(&later->costs.unattributed_ns, earlier->costs.unattributed_ns);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        take_off(&later->cpu_exceeded[i], earlier->cpu_exceeded[i]);
        take_off(&later->wall_exceeded[i], earlier->wall_exceeded[i]);
    }
}

static bool did_anything(const struct group_row *row)
{
    return row->group.ticks != 0 || row->group.costs.cpu_ns != 0 || row->running_ns != 0;
}

void group_rows_subtract(struct group_rows *rows, const struct group_rows *earlier)
{
    struct group_rows before = *earlier;
    size_t kept = 0;

    sort_rows(&before, compare_identity); /* of the same memory: only their order is another */
    for (size_t i = 0; i < rows->count; i++) {
        struct group_row *row = &rows->rows[i];
        const struct group_row *same = before.count > 0 ? bsearch(row, before.rows, before.count,
                                                                  sizeof(*row), compare_identity)
                                                        : NULL;
        row->highest = group_peaks_between(same != NULL ? same->peaks : NULL, earlier->head.now_ns,
                                           row->peaks, rows->head.now_ns);
        if (same != NULL)
            subtract_group(&row->group, &same->group);
        if (did_anything(row))
            rows->rows[kept++] = *row;
    }
    rows->count = kept;
    rows->folded -= smaller(rows->folded, earlier->folded);
    rows->cancelled -= smaller(rows->cancelled, earlier->cancelled);
    rows->moved -= smaller(rows->moved, earlier->moved);
}

/* --- Filtering --- */

bool group_row_passes(const struct group_row *row, const struct groups_filter *filter)
{
    const struct group_view *group = &row->group;

    return groups_filter_passes_group(filter, group->kind, group->kind_bytes, group->name,
                                      group->name_bytes) &&
           groups_filter_passes_process(filter, row->process_name, row->process_name_bytes);
}

void group_rows_keep(struct group_rows *rows, const struct groups_filter *filter)
{
    size_t kept = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (group_row_passes(&rows->rows[i], filter))
            rows->rows[kept++] = rows->rows[i];
    }
    rows->count = kept;
}

/* --- Merging --- */

static void add_group(struct group_view *sum, const struct group_view *group)
{
    add(&sum->ticks, group->ticks);
    add(&sum->costs.cpu_ns, group->costs.cpu_ns);
    add(&sum->costs.wall_ns, group->costs.wall_ns);
    add(&sum->costs.blocked_ns, group->costs.blocked_ns);
    add(&sum->costs.unattributed_ns, group->costs.unattributed_ns);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        add(&sum->cpu_exceeded[i], group->cpu_exceeded[i]);
        add(&sum->wall_exceeded[i], group->wall_exceeded[i]);
    }
}

static void add_row(struct group_row *sum, const struct group_row *row)
{
    add_group(&sum->group, &row->group);
    sum->merged += row->merged;
    if (row->running_ns > sum->running_ns)
        sum->running_ns = row->running_ns;
}

static bool is_of_thread(const struct group_row *row)
{
    return (row->group.flags & GROUP_IS_TOP) != 0;
}

/* "other" is there from the beginning, and says nothing as long as it is empty. */
static bool is_empty_other(const struct group_row *row)
{
    return (row->group.flags & GROUP_IS_OTHER) && row->group.ticks == 0;
}

static void keep_only(struct group_rows *rows, bool of_threads)
{
    size_t kept = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (is_of_thread(&rows->rows[i]) == of_threads && !is_empty_other(&rows->rows[i]))
            rows->rows[kept++] = rows->rows[i];
    }
    rows->count = kept;
}

static bool has_any(const struct group_rows *rows, bool of_threads)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (is_of_thread(&rows->rows[i]) == of_threads && !is_empty_other(&rows->rows[i]))
            return true;
    }
    return false;
}

static bool is_told_by_threads(const struct group_rows *rows, enum group_rows_by by)
{
    if (by == GROUP_ROWS_BY_GROUP)
        return !has_any(rows, false);
    return by == GROUP_ROWS_BY_THREAD || has_any(rows, true);
}

void group_rows_merge(struct group_rows *rows, enum group_rows_by by)
{
    int (*compare)(const void *, const void *) =
        by == GROUP_ROWS_BY_GROUP
            ? compare_by_group
            : (by == GROUP_ROWS_BY_PROCESS ? compare_by_process : compare_identity);
    size_t kept = 0;

    keep_only(rows, is_told_by_threads(rows, by));
    sort_rows(rows, compare);
    for (size_t i = 0; i < rows->count; i++) {
        if (kept > 0 && compare(&rows->rows[kept - 1], &rows->rows[i]) == 0)
            add_row(&rows->rows[kept - 1], &rows->rows[i]);
        else
            rows->rows[kept++] = rows->rows[i];
    }
    rows->count = kept;
}

/* --- Order --- */

unsigned group_row_jank(const struct group_row *row)
{
    unsigned exceeded = GROUP_THRESHOLDS;

    while (exceeded > 0 && row->group.cpu_exceeded[exceeded - 1] == 0)
        exceeded--;
    return exceeded;
}

static int compare_cpu(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.costs.cpu_ns, a->group.costs.cpu_ns);

    return order != 0 ? order : compare_identity(a, b);
}

static int compare_wall(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.costs.wall_ns, a->group.costs.wall_ns);

    return order != 0 ? order : compare_identity(a, b);
}

static int compare_blocked(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.costs.blocked_ns, a->group.costs.blocked_ns);

    return order != 0 ? order : compare_cpu(a, b);
}

static int compare_ticks(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.ticks, a->group.ticks);

    return order != 0 ? order : compare_cpu(a, b);
}

static int compare_jank(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;

    for (unsigned i = GROUP_THRESHOLDS; i-- > 0;) {
        int order = compare_numbers(b->group.cpu_exceeded[i], a->group.cpu_exceeded[i]);
        if (order != 0)
            return order;
    }
    return compare_cpu(a, b);
}

void group_rows_sort(struct group_rows *rows, enum group_rows_order order)
{
    static int (*const compares[])(const void *, const void *) = {
        [GROUP_ROWS_CPU] = compare_cpu,         [GROUP_ROWS_WALL] = compare_wall,
        [GROUP_ROWS_BLOCKED] = compare_blocked, [GROUP_ROWS_TICKS] = compare_ticks,
        [GROUP_ROWS_JANK] = compare_jank,
    };

    sort_rows(rows, compares[order]);
}
