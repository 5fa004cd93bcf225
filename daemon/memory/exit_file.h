/* The file of memory that the arenas of ended processes are in, side by side.
 *
 * Each session has a file of its own, so that a late move of the last one cannot land in it: a file
 * lives until the store and the last move into it have let go. Loop thread; the descriptor itself
 * may be written through by any. */
#ifndef PROFD_DAEMON_EXIT_FILE_H
#define PROFD_DAEMON_EXIT_FILE_H

#include <stdint.h>

#include "buffer/block_account.h"

struct exit_file {
    int fd;
    int reading_fd; /* the same file, which cannot be written through it */
    unsigned users;
    uint64_t end_offset; /* a whole number of pages */
};

/* An empty file with one user. -ENOMEM, or the errno of memfd_create() or open(). */
int exit_file_create(struct exit_file **out);
void exit_file_ref(struct exit_file *file);
/* FILE may be NULL. */
void exit_file_unref(struct exit_file *file);

/* Makes room for an arena of BYTES at the end, which takes no memory yet. A negative errno. */
int exit_file_append(struct exit_file *file, uint64_t bytes, uint64_t *offset);

/* Frees the memory of that part. A failure is logged: the memory stays in use. */
void exit_file_punch(const struct exit_file *file, uint64_t offset, uint64_t bytes);

/* What it really takes, as the kernel counts. */
uint64_t exit_file_kernel_bytes(const struct exit_file *file);

/* What the header of the arena at OFFSET says of its blocks; nothing when it cannot be read. */
void exit_file_read_account(const struct exit_file *file, uint64_t offset,
                            struct block_account *out);

/* Counts chunk SLOT of the arena at OFFSET as dropped in the arena's own header, so that its
 * profile tells what it lost, and frees its memory. -EIO: neither was done. */
int exit_file_drop_chunk(const struct exit_file *file, uint64_t offset, uint32_t slot);

#endif
