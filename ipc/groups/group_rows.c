#include "ipc/groups/group_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ipc/groups/group_bounds.h"
#include "ipc/groups/group_order.h"

/* --- Reading --- */

/* At most so many groups are in MEMORY. */
static size_t most_rows(const void *memory, size_t bytes)
{
    struct group_snapshot_head head;
    struct group_snapshot_reader reader = { .memory = memory, .bytes = bytes };
    struct group_snapshot_view view;
    size_t most = 0;

    if (!group_snapshot_open(&reader, &head))
        return 0;
    while (group_snapshot_next(&reader, &view))
        most += view.process->table_bytes / sizeof(struct group_record);
    return most;
}

/* Room for all at once, and where they are many in large pages: to take so many small ones of the
 * kernel is dearer than to fill them. */
static int make_room(struct group_rows *rows, size_t most)
{
    enum { LARGE_PAGE_BYTES = 2 * 1024 * 1024 };
    size_t bytes = (most + 1) * sizeof(*rows->rows);

    if (bytes < LARGE_PAGE_BYTES) {
        rows->rows = malloc(bytes);
    } else {
        rows->rows = aligned_alloc(LARGE_PAGE_BYTES, (bytes + LARGE_PAGE_BYTES - 1) /
                                                         LARGE_PAGE_BYTES * LARGE_PAGE_BYTES);
        if (rows->rows != NULL)
            (void)madvise(rows->rows, bytes, MADV_HUGEPAGE); /* small ones do, too */
    }
    return rows->rows != NULL ? 0 : -ENOMEM;
}

static uint64_t running_ns(const struct group_rows *rows, const struct group_row *row)
{
    uint64_t since_ns = row->group.running_since_ns;
    bool is_running = since_ns != 0 && row->process->end_ns == 0;

    return is_running && rows->head.now_ns > since_ns ? rows->head.now_ns - since_ns : 0;
}

static void read_process(struct group_rows *rows, const struct group_snapshot_view *view)
{
    struct group_reader reader = { .memory = view->table, .bytes = view->process->table_bytes };
    struct group_row row = { .process = view->process,
                             .process_name = view->name,
                             .process_name_bytes = view->process->name_bytes,
                             .merged = 1 };
    const struct group_bounds bounds =
        group_bounds_of(view->process, rows->head.processors, rows->head.now_ns);

    group_sum_add(&rows->folded, group_bounds_count(&bounds, view->process->folded));
    group_sum_add(&rows->cancelled, group_bounds_count(&bounds, view->process->cancelled));
    group_sum_add(&rows->moved, group_bounds_count(&bounds, view->process->moved));
    while (group_reader_next(&reader, &row.group)) {
        group_bounds_cut(&bounds, &row.group);
        row.running_ns = running_ns(rows, &row);
        rows->rows[rows->count++] = row;
    }
}

static int compare_places(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;

    return (a->group.place > b->group.place) - (a->group.place < b->group.place);
}

/* Those of VIEW, whose COUNT rows are ROWS, in the order of their places. */
static void read_peaks(struct group_row *rows, size_t count, const struct group_snapshot_view *view)
{
    struct group_reader reader = { .memory = view->table, .bytes = view->process->table_bytes };
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

    *out = (struct group_rows){ 0 };
    if (!group_snapshot_open(&reader, &out->head))
        return -EPROTO;
    if (make_room(out, most_rows(memory, bytes)) < 0)
        return -ENOMEM;
    while (group_snapshot_next(&reader, &view)) {
        size_t first = out->count;
        read_process(out, &view);
        read_peaks(out->rows + first, out->count - first, &view);
    }
    return 0;
}

void group_rows_free(struct group_rows *rows)
{
    free(rows->rows);
    *rows = (struct group_rows){ 0 };
}

/* --- Subtracting --- */

/* A process may write anything: what shrank counts as new. */
static void subtract_earlier(uint64_t *later, uint64_t earlier)
{
    if (*later >= earlier)
        *later -= earlier;
}

/* Sums of processes, of which some may have been forgotten. */
static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void subtract_group(struct group_view *later, const struct group_view *earlier)
{
    subtract_earlier(&later->ticks, earlier->ticks);
    subtract_earlier(&later->costs.cpu_ns, earlier->costs.cpu_ns);
    subtract_earlier(&later->costs.wall_ns, earlier->costs.wall_ns);
    subtract_earlier(&later->costs.blocked_ns, earlier->costs.blocked_ns);
    subtract_earlier(&later->costs.unattributed_ns, earlier->costs.unattributed_ns);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        subtract_earlier(&later->cpu_exceeded[i], earlier->cpu_exceeded[i]);
        subtract_earlier(&later->wall_exceeded[i], earlier->wall_exceeded[i]);
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

    if (before.count > 1) /* of the same memory: only their order is another */
        qsort(before.rows, before.count, sizeof(*before.rows), group_row_compare);
    for (size_t i = 0; i < rows->count; i++) {
        struct group_row *row = &rows->rows[i];
        const struct group_row *same = before.count > 0 ? bsearch(row, before.rows, before.count,
                                                                  sizeof(*row), group_row_compare)
                                                        : NULL;
        row->highest = group_peaks_between(same != NULL ? same->peaks : NULL, earlier->head.now_ns,
                                           row->peaks, rows->head.now_ns);
        if (same != NULL)
            subtract_group(&row->group, &same->group);
        if (did_anything(row))
            rows->rows[kept++] = *row;
    }
    rows->count = kept;
    rows->folded -= min_u64(rows->folded, earlier->folded);
    rows->cancelled -= min_u64(rows->cancelled, earlier->cancelled);
    rows->moved -= min_u64(rows->moved, earlier->moved);
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
