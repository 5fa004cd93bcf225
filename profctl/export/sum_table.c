#include "profctl/export/sum_table.h"

#include <errno.h>
#include <string.h>

void sum_table_init(struct sum_table *table)
{
    *table = (struct sum_table){ 0 };
    failure_latch_init(&table->latch);
    unique_strings_init(&table->keys, &table->latch);
}

void sum_table_fini(struct sum_table *table)
{
    unique_strings_fini(&table->keys);
    mapped_array_free(&table->sums);
}

int sum_table_add(struct sum_table *table, const struct sum_key *key, const struct sums *sums)
{
    uint32_t index = unique_strings_add(&table->keys, (const char *)key, sizeof(*key));

    if (index == UNIQUE_NONE || (index == table->sums.count &&
                                 mapped_array_push(&table->sums, sizeof(struct sums)) == NULL))
        return -ENOMEM;
    struct sums *sum = (struct sums *)table->sums.items + index;
    sum->cpu_ns += sums->cpu_ns;
    sum->samples += sums->samples;
    sum->allocated_bytes += sums->allocated_bytes;
    sum->allocations += sums->allocations;
    sum->jank_ns += sums->jank_ns;
    return 0;
}

size_t sum_table_count(const struct sum_table *table)
{
    return table->sums.count;
}

struct sum_key sum_table_key(const struct sum_table *table, size_t index)
{
    struct sum_key key;
    size_t length;

    memcpy(&key, unique_strings_get(&table->keys, (uint32_t)index, &length), sizeof(key));
    return key;
}

const struct sums *sum_table_sums(const struct sum_table *table, size_t index)
{
    return (const struct sums *)table->sums.items + index;
}
