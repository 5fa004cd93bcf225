/* An account of the blocks that a session's writers have produced, without those that are kept. */
#ifndef PROFD_BUFFER_BLOCK_ACCOUNT_H
#define PROFD_BUFFER_BLOCK_ACCOUNT_H

#include "buffer/arena.h"

struct block_account {
    uint64_t produced_blocks, produced_bytes; /* as counted by the writers */
    uint64_t dropped_blocks, dropped_bytes;   /* for any cause */
};

/* Reads the account from HEADER. It does not include the blocks of chunks that are in use. */
void block_account_of(const struct arena_header *header, struct block_account *out);

void block_account_add(struct block_account *sum, const struct block_account *other);

#endif
