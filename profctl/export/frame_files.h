/* The source files of functions, by the names of frames: what servers get that have a place for
 * them. Rows have names alone, so that a stack is the same wherever it was built.
 *
 * A name that two files have, as static functions may, has none here. One thread. */
#ifndef PROFD_PROFCTL_FRAME_FILES_H
#define PROFD_PROFCTL_FRAME_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* Initialised by frame_files_init(). */
struct frame_files {
    bool are_wanted; /* else nothing is noted */
    struct unique_strings names, files;
    struct mapped_array of_names; /* uint32_t: a file of each; UNIQUE_NONE: several */
};

void frame_files_init(struct frame_files *files, struct failure_latch *latch);
void frame_files_fini(struct frame_files *files);

/* The function NAME was seen in FILE. 0 or -ENOMEM. */
int frame_files_note(struct frame_files *files, const char *name, size_t name_length,
                     const char *file, size_t file_length);

/* The file of NAME, a view until the next is noted; NULL: not known, or several. */
const char *frame_files_find(const struct frame_files *files, const char *name, size_t name_length,
                             size_t *file_length);

#endif
