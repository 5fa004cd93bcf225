/* Reads short files that users name, such as those with passwords and labels, as a whole, and
 * without waiting for ever.
 *
 * Pipes from a shell (/dev/stdin, <(command)) are read as well. Devices, sockets and directories
 * are refused, as is a pipe from which nothing comes. One thread. */
#ifndef PROFD_COMMON_SHORT_FILE_H
#define PROFD_COMMON_SHORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHORT_FILE_PATIENCE_MS = 3000 };

/* Reads the file at PATH into BYTES, up to its end or to ROOM bytes, and sets *LENGTH. Returns
 * false with *WHY, a few words that are valid until the next call. */
bool short_file_read(const char *path, char *bytes, size_t room, size_t *length, const char **why);

/* Whether PATH, if it exists, is a file that another process can read as a whole. If not, *WHY is
 * set to a constant. */
bool short_file_is_regular(const char *path, const char **why);

#endif
