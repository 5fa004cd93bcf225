/* Stores batches on disk until the server has them, oldest first. They survive the exporter.
 *
 * Each batch is a file. A file left half-written by a crash is recognized by its checksum, removed
 * and counted. A file that has the name of a batch but cannot be read is reported, counted, and
 * left there. If there is no room for a new batch, the oldest ones are dropped and counted. What
 * cannot be written, as on a full disk, waits in memory, as far as 16 MB last. Only one exporter
 * uses a spool at a time. One thread. */
#ifndef PROFD_PROFCTL_SPOOL_H
#define PROFD_PROFCTL_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/export/export_batch.h"
#include "profctl/failure.h"

struct spool; /* opaque */

/* Since the spool was opened. */
struct spool_losses {
    uint64_t rows, batches; /* not delivered … */
    uint64_t crowded_out;   /* … and how many of these batches were dropped for lack of room */
    uint64_t torn;          /* files that are damaged, gone, or unreadable */
    bool has_lost_stacks;   /* stacks are among the losses; cleared by the owner */
};

/* Opens the spool in DIRECTORY, which is created if it does not exist. Returns false with FAILURE
 * filled, also if another exporter uses the spool. */
bool spool_open(const char *directory, uint64_t limit_bytes, struct spool **out,
                struct failure *failure);
void spool_close(struct spool *spool); /* NULL is allowed */

/* Creates the folder again if it was removed, which is reported; what was in it is counted. Returns
 * 0, or a negative errno if it still does not exist. spool_add() does this first. */
int spool_keep_folder(struct spool *spool);

/* Counts BATCH, which is in no spool, as lost. */
void spool_count_loss(struct spool *spool, const struct export_batch *batch);

/* Adds BATCH. Returns 0, or a negative errno if the batch could not be kept and was counted as
 * lost. */
int spool_add(struct spool *spool, const struct export_batch *batch);

/* Reads the oldest batch into BATCH, whose memory is reused. Returns 0; -ENOENT if there is none;
 * or the error that keeps this process from reading it now. */
int spool_first(struct spool *spool, struct export_batch *batch);

/* Returns whether the oldest batch was found in the folder, rather than added to this spool. Then
 * it may have been delivered: by an exporter that was killed, or before the machine lost its power,
 * after which removed files can be there again. */
bool spool_has_found_first(const struct spool *spool);

/* Remove the oldest batch, because the server has it … */
void spool_remove_first(struct spool *spool);
/* … or will not take it. BATCH is the result of spool_first(). */
void spool_lose_first(struct spool *spool, const struct export_batch *batch);

/* Batches have numbers, which rise. Returns one above those of all that were in the spool since it
 * was opened. */
uint64_t spool_next_number(const struct spool *spool);

/* Removes the batches with that NUMBER and above, which are not counted as lost. Returns how many.
 */
size_t spool_drop_from(struct spool *spool, uint64_t number);

/* Returns the descriptor of its folder, which it owns, and which changes when the folder is created
 * again. */
int spool_directory(const struct spool *spool);
uint64_t spool_bytes(const struct spool *spool);
struct spool_losses *spool_losses(struct spool *spool);

#endif
