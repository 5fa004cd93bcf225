#include "profctl/export/export_health.h"

#include <string.h>

void export_health_write(const struct export_health *health, const char *host,
                         struct row_writer *out)
{
    row_write_u32(out, health->minute_s);
    row_write_string(out, host, strlen(host));
    row_write_u64(out, health->exporter);
    row_write_u64(out, health->covered_ms);
    row_write_u64(out, (uint64_t)health->cpu_ns);
    row_write_u64(out, health->samples);
    row_write_u64(out, health->rows);
    row_write_u64(out, health->new_stacks);
    row_write_u64(out, health->export_cpu_ns);
    row_write_u64(out, health->spooled_bytes);
    row_write_u64(out, health->lost_rows);
    row_write_u64(out, health->lost_batches);
    row_write_u64(out, health->torn_batches);
    row_write_u64(out, health->folded_labels);
    row_write_u64(out, health->lost_blocks);
    row_write_u64(out, health->lost_ms);
    row_write_u64(out, health->left_out_labels);
    row_write_u64(out, health->unnamed_addresses);
    row_write_u64(out, health->unsure_batches);
    row_write_u64(out, (uint64_t)health->clock_offset_s);
    row_write_string(out, health->missing, strlen(health->missing));
}
