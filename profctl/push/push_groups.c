#include "profctl/push/push_groups.h"

#include <errno.h>
#include <string.h>

/* --- Who rows are of --- */

static int read_source(const struct export_rows *rows, uint32_t row, struct push_source *out)
{
    size_t length;
    const char *columns =
        unique_strings_get(&rows->sources, sum_table_key(&rows->sums, row).source, &length);

    return push_source_read(columns, length, out);
}

/* All of the columns but the thread, whose bytes stand between the others'. */
static uint32_t number_of(const struct export_rows *rows, uint32_t row,
                          const struct push_source *source, struct unique_strings *others,
                          struct row_writer *buffer)
{
    const struct push_text *kind = &source->fields[PUSH_KIND];
    const struct push_text *thread = &source->fields[PUSH_THREAD];
    size_t length;
    const char *columns =
        unique_strings_get(&rows->sources, sum_table_key(&rows->sums, row).source, &length);
    const char *behind = thread->bytes + thread->length;

    row_writer_clear(buffer);
    row_write_string(buffer, columns, (size_t)(kind->bytes + kind->length - columns));
    row_write_bytes(buffer, behind, (size_t)(columns + length - behind));
    return buffer->error == 0 ? unique_strings_add(others, buffer->bytes.items, buffer->bytes.count)
                              : UNIQUE_NONE;
}

/* --- Groups --- */

static bool is_before(const void *left, const void *right)
{
    const struct push_row *a = left, *b = right;

    if (a->minute_s != b->minute_s)
        return a->minute_s < b->minute_s;
    return a->group != b->group ? a->group < b->group : a->row < b->row;
}

static int add_row(struct push_groups *groups, const struct export_rows *rows, uint32_t row,
                   struct unique_strings *others, struct row_writer *buffer)
{
    struct push_source source;
    int error = read_source(rows, row, &source);

    if (error < 0)
        return error;
    struct push_row *added = mapped_array_push(&groups->rows, sizeof(*added));
    uint32_t group = number_of(rows, row, &source, others, buffer);
    if (added == NULL || group == UNIQUE_NONE)
        return -ENOMEM;
    *added = (struct push_row){ .minute_s = sum_table_key(&rows->sums, row).minute_s,
                                .group = group,
                                .row = row,
                                .thread = source.fields[PUSH_THREAD] };
    return 0;
}

int push_groups_make(struct push_groups *groups, const struct export_rows *rows)
{
    struct failure_latch latch;
    struct unique_strings others;
    struct row_writer buffer = { 0 };
    int error = 0;

    failure_latch_init(&latch);
    unique_strings_init(&others, &latch);
    for (uint32_t row = 0; row < sum_table_count(&rows->sums) && error == 0; row++)
        error = add_row(groups, rows, row, &others, &buffer);
    mapped_array_sort(&groups->rows, sizeof(struct push_row), is_before);
    row_writer_free(&buffer);
    unique_strings_fini(&others);
    return error;
}

void push_groups_free(struct push_groups *groups)
{
    mapped_array_free(&groups->rows);
}

bool push_groups_next(const struct push_groups *groups, const struct export_rows *rows,
                      size_t *next, struct push_group *out)
{
    const struct push_row *all = groups->rows.items;
    size_t first = *next, end = first;

    if (first == groups->rows.count)
        return false;
    while (end < groups->rows.count && all[end].minute_s == all[first].minute_s &&
           all[end].group == all[first].group)
        end++;
    *out = (struct push_group){ .minute_s = all[first].minute_s,
                                .rows = all + first,
                                .count = end - first };
    (void)read_source(rows, all[first].row, &out->source); /* it was read when they were made */
    *next = end;
    return true;
}
