#include "buffer/block_account.h"

void block_account_of(const struct arena_header *header, struct block_account *out)
{
    *out = (struct block_account){
        .produced_blocks = atomic_load(&header->produced_blocks),
        .produced_bytes = atomic_load(&header->produced_bytes),
    };
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (!drop_cause_counts_blocks((enum drop_cause)cause))
            continue;
        out->dropped_blocks += atomic_load(&header->drops[cause]);
        out->dropped_bytes += atomic_load(&header->drop_bytes[cause]);
    }
}

void block_account_add(struct block_account *sum, const struct block_account *other)
{
    sum->produced_blocks += other->produced_blocks;
    sum->produced_bytes += other->produced_bytes;
    sum->dropped_blocks += other->dropped_blocks;
    sum->dropped_bytes += other->dropped_bytes;
}
