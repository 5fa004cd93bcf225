/* The output file of a conversion: opened, given threads, and put in place once it is complete. One
 * thread. */
#ifndef PROFD_PROFCTL_CONVERTED_FILE_H
#define PROFD_PROFCTL_CONVERTED_FILE_H

#include <stdbool.h>

#include "profctl/capture/capture_file.h"
#include "profctl/convert/conversion.h"
#include "profctl/failure.h"

/* A zeroed struct is closed. */
struct converted_file {
    struct conversion conversion;
    struct capture_file *file;
};

/* Begins the file at PATH, which is borrowed. Returns false with FAILURE filled. The struct must
 * not move, and needs converted_file_close() in any case. */
bool converted_file_open(struct converted_file *converted, const struct profile_format *format,
                         const char *path, struct failure *failure);

/* Add a thread, and finish the contents. Each returns 0 or a negative errno of the format or of
 * writing; converted_file_failed() tells which. */
int converted_file_add(struct converted_file *converted, const struct profile_thread *thread);
int converted_file_finish(struct converted_file *converted, const struct profile_facts *facts);

/* Returns whether writing failed, with FAILURE filled. */
bool converted_file_failed(const struct converted_file *converted, struct failure *failure);

/* Puts the file in place. Returns false with FAILURE filled. */
bool converted_file_commit(struct converted_file *converted, struct failure *failure);

/* Removes the file unless it was put in place. Safe to repeat. */
void converted_file_close(struct converted_file *converted);

#endif
