/* The last part of a path. Pure. */
#ifndef PROFD_COMMON_FILE_NAME_H
#define PROFD_COMMON_FILE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the files at PATH and at OTHER, of OTHER_LENGTH bytes, are called the same: one side may
 * know a path through links that the other does not. */
bool file_name_is_same(const char *path, const char *other, size_t other_length);

#endif
