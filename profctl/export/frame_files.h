/* The source files of functions, by the names of frames, for servers that have a place for them.
 * Rows contain only names, so that a stack is the same wherever it was built.
 *
 * A name that occurs in two files, as with static functions, has no file here. One thread. */
#ifndef PROFD_PROFCTL_FRAME_FILES_H
#define PROFD_PROFCTL_FRAME_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* Initialised by frame_files_init(). */
struct frame_files {
    bool are_wanted; /* else nothing is stored */
    struct unique_strings names, files;
    struct mapped_array of_names; /* uint32_t: the file of each name; UNIQUE_NONE: several */
};

void frame_files_init(struct frame_files *files, struct failure_latch *latch);
void frame_files_fini(struct frame_files *files);

/* Notes that the function NAME is in FILE. Returns 0 or -ENOMEM. */
int frame_files_note(struct frame_files *files, const char *name, size_t name_length,
                     const char *file, size_t file_length);

/* Returns the file of NAME, a view valid until the next call of frame_files_note(); NULL: not
 * known, or several. */
const char *frame_files_find(const struct frame_files *files, const char *name, size_t name_length,
                             size_t *file_length);

#endif
