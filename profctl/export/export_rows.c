#include "profctl/export/export_rows.h"

#include <string.h>
#include <xxhash.h>

enum { SECONDS_OF_A_DAY = 24 * 60 * 60 };

void export_rows_init(struct export_rows *rows)
{
    *rows = (struct export_rows){ 0 };
    failure_latch_init(&rows->latch);
    unique_strings_init(&rows->sources, &rows->latch);
    unique_strings_init(&rows->stacks, &rows->latch);
    frame_files_init(&rows->files, &rows->latch);
    sum_table_init(&rows->sums);
}

void export_rows_fini(struct export_rows *rows)
{
    unique_strings_fini(&rows->sources);
    unique_strings_fini(&rows->stacks);
    frame_files_fini(&rows->files);
    mapped_array_free(&rows->hashes);
    sum_table_fini(&rows->sums);
}

uint32_t export_rows_source(struct export_rows *rows, const struct row_writer *columns)
{
    if (columns->error < 0)
        return UNIQUE_NONE;
    return unique_strings_add(&rows->sources, columns->bytes.items, columns->bytes.count);
}

uint32_t export_rows_stack(struct export_rows *rows, const struct row_writer *columns)
{
    XXH128_canonical_t canonical;
    char(*hash)[STACK_HASH_BYTES];

    _Static_assert(sizeof(canonical) == STACK_HASH_BYTES, "the column's size");
    if (columns->error < 0)
        return UNIQUE_NONE;
    uint32_t stack = unique_strings_add(&rows->stacks, columns->bytes.items, columns->bytes.count);
    if (stack == UNIQUE_NONE || stack < rows->hashes.count)
        return stack;
    hash = mapped_array_push(&rows->hashes, sizeof(*hash));
    if (hash == NULL)
        return UNIQUE_NONE;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(columns->bytes.items, columns->bytes.count));
    memcpy(hash, &canonical, sizeof(*hash));
    return stack;
}

const char *export_rows_hash(const struct export_rows *rows, uint32_t stack)
{
    return (const char *)rows->hashes.items + (size_t)stack * STACK_HASH_BYTES;
}

static void write_sample(const struct export_rows *rows, size_t index, uint64_t batch,
                         struct row_writer *out)
{
    struct sum_key key = sum_table_key(&rows->sums, index);
    const struct sums *sums = sum_table_sums(&rows->sums, index);
    size_t length;
    const char *source = unique_strings_get(&rows->sources, key.source, &length);

    row_write_u32(out, key.minute_s);
    row_write_bytes(out, source, length);
    row_write_bytes(out, export_rows_hash(rows, key.stack), STACK_HASH_BYTES);
    row_write_u64(out, (uint64_t)sums->cpu_ns);
    row_write_u64(out, sums->samples);
    row_write_u64(out, sums->allocated_bytes);
    row_write_u64(out, sums->allocations);
    row_write_u64(out, sums->jank_ns);
    row_write_u64(out, batch);
}

uint64_t export_rows_write_samples(const struct export_rows *rows, uint64_t batch, uint32_t first_s,
                                   uint32_t last_s, struct row_writer *out)
{
    uint64_t count = 0;

    for (size_t i = 0; i < sum_table_count(&rows->sums); i++) {
        uint32_t minute_s = sum_table_key(&rows->sums, i).minute_s;
        if (minute_s < first_s || minute_s > last_s)
            continue;
        write_sample(rows, i, batch, out);
        count++;
    }
    return count;
}

void export_rows_write_stack(const struct export_rows *rows, uint32_t stack, uint32_t minute_s,
                             struct row_writer *out)
{
    size_t length;
    const char *columns = unique_strings_get(&rows->stacks, stack, &length);

    row_write_bytes(out, export_rows_hash(rows, stack), STACK_HASH_BYTES);
    row_write_day(out, (uint16_t)(minute_s / SECONDS_OF_A_DAY));
    row_write_bytes(out, columns, length);
}
