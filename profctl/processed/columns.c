#include "profctl/processed/columns.h"

#include "common/time_units.h"

void column_start(const struct column_output *output, const char *name, enum slab_type type)
{
    if (output->slabs == NULL) {
        json_start_array_property(output->json, name);
        return;
    }
    json_name(output->json, name);
    slab_reference(output->json, slabs_start_numbers(output->slabs, type));
}

void column_put(const struct column_output *output, int64_t value)
{
    if (output->slabs == NULL)
        json_i64(output->json, value);
    else
        slabs_put_number(output->slabs, (double)value);
}

void column_put_time_ms(const struct column_output *output, int64_t nanoseconds)
{
    if (output->slabs == NULL)
        json_time_ms(output->json, nanoseconds);
    else
        slabs_put_number(output->slabs, (double)nanoseconds / NS_PER_MS);
}

void column_end(const struct column_output *output)
{
    if (output->slabs == NULL)
        json_end_array(output->json);
    else
        slabs_end_numbers(output->slabs);
}
