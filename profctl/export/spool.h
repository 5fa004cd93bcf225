/* Batches on disk until the server has them, the oldest first. What is here outlives the exporter.
 *
 * A batch is a file. One that a crash left half written is told by its checksum, removed and
 * counted; what has a batch's name but cannot be read is told, counted, and stays. When there is no
 * room for a new batch, the oldest ones go, and are counted. One exporter has a spool at a time.
 * One thread. */
#ifndef PROFD_PROFCTL_SPOOL_H
#define PROFD_PROFCTL_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/export/export_batch.h"
#include "profctl/failure.h"

struct spool; /* opaque */

/* Since the spool was opened. */
struct spool_losses {
    uint64_t rows, batches; /* that were not delivered … */
    uint64_t crowded_out;   /* … and how many of the batches had to make room for others */
    uint64_t torn;          /* files that are damaged, gone, or not to be read */
    bool has_lost_stacks;   /* … among them; for the owner to clear */
};

/* DIRECTORY is made when it is not there. False with FAILURE filled, also when another exporter has
 * the spool. */
bool spool_open(const char *directory, uint64_t limit_bytes, struct spool **out,
                struct failure *failure);
void spool_close(struct spool *spool); /* NULL is allowed */

/* Makes the folder again where somebody removed it, which is told; what was in it is counted. 0, or
 * a negative errno: it is still not there. spool_add() begins with that. */
int spool_keep_folder(struct spool *spool);

/* Counts BATCH, which is in no spool, as lost. */
void spool_count_loss(struct spool *spool, const struct export_batch *batch);

/* 0, or a negative errno when the batch could not be kept; it is counted as lost then. */
int spool_add(struct spool *spool, const struct export_batch *batch);

/* The oldest batch into BATCH, whose memory is used again. 0; -ENOENT: there is none; or
 * what this process lacks to read it now. */
int spool_first(struct spool *spool, struct export_batch *batch);
/* Removes the oldest: the server has it … */
void spool_remove_first(struct spool *spool);
/* … or will not take it. BATCH is what spool_first() said. */
void spool_lose_first(struct spool *spool, const struct export_batch *batch);

/* The descriptor of its folder, which it keeps; another one once it has made the folder again. */
int spool_directory(const struct spool *spool);
uint64_t spool_bytes(const struct spool *spool);
struct spool_losses *spool_losses(struct spool *spool);

#endif
