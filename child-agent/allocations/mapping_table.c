#include "child-agent/allocations/mapping_table.h"

#include <string.h>

/* The first range that ends above ADDRESS, or the number of ranges. */
static size_t find_range(const struct mapping_table *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->ranges[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Makes room for NUMBER ranges at INDEX; with a negative NUMBER, removes that many there. */
static void shift_ranges(struct mapping_table *table, size_t index, ptrdiff_t number)
{
    size_t from = number < 0 ? index + (size_t)-number : index;
    memmove(&table->ranges[(ptrdiff_t)from + number], &table->ranges[from],
            (table->count - from) * sizeof(table->ranges[0]));
    table->count = (size_t)((ptrdiff_t)table->count + number);
}

bool mapping_table_put(struct mapping_table *table, uint64_t start, uint64_t end)
{
    size_t index = find_range(table, start);
    struct mapped_range *next = &table->ranges[index];
    bool joins_previous = index > 0 && next[-1].end == start;
    bool joins_next = index < table->count && next->start == end;
    if (joins_previous && joins_next) {
        next[-1].end = next->end;
        shift_ranges(table, index, -1);
    } else if (joins_previous) {
        next[-1].end = end;
    } else if (joins_next) {
        next->start = start;
    } else if (table->count == MAPPING_TABLE_MOST) {
        return false;
    } else {
        shift_ranges(table, index, 1);
        *next = (struct mapped_range){ start, end };
    }
    return true;
}

/* Takes START to END out of the midst of the range at INDEX. How many bytes that was. */
static uint64_t split_range(struct mapping_table *table, size_t index, uint64_t start, uint64_t end)
{
    struct mapped_range *range = &table->ranges[index];
    uint64_t old_end = range->end;
    range->end = start;
    if (table->count == MAPPING_TABLE_MOST)
        return old_end - start;
    shift_ranges(table, index + 1, 1);
    range[1] = (struct mapped_range){ end, old_end };
    return end - start;
}

uint64_t mapping_table_take(struct mapping_table *table, uint64_t start, uint64_t end)
{
    size_t first = find_range(table, start), beyond;
    struct mapped_range *ranges = table->ranges;
    uint64_t bytes = 0;
    if (first < table->count && ranges[first].start < start && ranges[first].end > end)
        return split_range(table, first, start, end);
    if (first < table->count && ranges[first].start < start) {
        bytes += ranges[first].end - start;
        ranges[first++].end = start;
    }
    for (beyond = first; beyond < table->count && ranges[beyond].end <= end; beyond++)
        bytes += ranges[beyond].end - ranges[beyond].start;
    if (beyond < table->count && ranges[beyond].start < end) {
        bytes += end - ranges[beyond].start;
        ranges[beyond].start = end;
    }
    if (beyond > first)
        shift_ranges(table, first, -(ptrdiff_t)(beyond - first));
    return bytes;
}

bool mapping_table_has(const struct mapping_table *table, uint64_t address)
{
    size_t index = find_range(table, address);
    return index < table->count && table->ranges[index].start <= address;
}
