/* A file that a profile is converted into: begun, given threads, and put in place when it is whole.
 * One thread. */
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

/* Begins the file at PATH, which is borrowed. False with FAILURE filled. The struct stays where it
 * is, and needs converted_file_close() either way. */
bool converted_file_open(struct converted_file *converted, const struct profile_format *format,
                         const char *path, struct failure *failure);

/* 0 or a negative errno: of the format, or of writing, which converted_file_failed() tells. */
int converted_file_add(struct converted_file *converted, const struct profile_thread *thread);
int converted_file_finish(struct converted_file *converted, const struct profile_facts *facts);

/* Tells in FAILURE that it could not be written. False: it could. */
bool converted_file_failed(const struct converted_file *converted, struct failure *failure);

/* Puts it in place. False with FAILURE filled. */
bool converted_file_commit(struct converted_file *converted, struct failure *failure);

/* Removes what was not put in place. Safe to repeat. */
void converted_file_close(struct converted_file *converted);

#endif
