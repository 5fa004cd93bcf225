/* The last part of a path. Pure. */
#ifndef PROFD_COMMON_FILE_NAME_H
#define PROFD_COMMON_FILE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The part of PATH after its last slash, or all of PATH if there is none. A slash at the end of
 * PATH belongs to the name, so only an empty path has an empty name. */
const char *file_name_of(const char *path);

/* The same for a path of LENGTH bytes without a terminator: the name ends where the path does. */
const char *file_name_of_bytes(const char *path, size_t length);

/* Whether the files at PATH and at OTHER, of OTHER_LENGTH bytes, have the same name: their folders
 * may differ because of links. */
bool file_name_is_same(const char *path, const char *other, size_t other_length);

#endif
