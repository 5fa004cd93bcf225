/* The memory file that holds the arenas of ended processes, side by side.
 *
 * Each session has a file of its own, so that a late move of an earlier session cannot end up in
 * it: a file lives until the store and the last move into it have released it. Loop thread; any
 * thread may write to the descriptor. */
#ifndef PROFD_DAEMON_EXIT_FILE_H
#define PROFD_DAEMON_EXIT_FILE_H

#include <stdint.h>

#include "buffer/block_account.h"

struct exit_file {
    int fd;
    int reading_fd; /* the same file, read-only */
    unsigned users;
    uint64_t end_offset; /* a whole number of pages */
};

/* Creates an empty file with one user. Returns 0, -ENOMEM, or the negative errno of memfd_create()
 * or open(). */
int exit_file_create(struct exit_file **out);
void exit_file_ref(struct exit_file *file);
/* FILE may be NULL. */
void exit_file_unref(struct exit_file *file);

/* Extends the file by an arena of BYTES at *OFFSET, which takes no memory yet. Returns 0 or a
 * negative errno. */
int exit_file_append(struct exit_file *file, uint64_t bytes, uint64_t *offset);

/* Frees the memory of that part. On failure, which is logged, the memory stays in use. */
void exit_file_punch(const struct exit_file *file, uint64_t offset, uint64_t bytes);

/* The memory that the file takes, by the kernel's count. */
uint64_t exit_file_kernel_bytes(const struct exit_file *file);

/* Reads what the header of the arena at OFFSET says of its blocks; all zeros if it cannot be
 * read. */
void exit_file_read_account(const struct exit_file *file, uint64_t offset,
                            struct block_account *out);

/* Counts chunk SLOT of the arena at OFFSET as dropped in the arena's header, so that its profile
 * shows what it lost, and frees the chunk's memory. Returns 0, or -EIO if neither was done. */
int exit_file_drop_chunk(const struct exit_file *file, uint64_t offset, uint32_t slot);

#endif
