/* Short files that somebody names, such as those of passwords and labels: read as a whole, and
 * never waited for without end.
 *
 * Pipes are read as well, as a shell makes them (/dev/stdin, <(command)). Devices, sockets and
 * directories are refused, and so is a pipe from which nothing comes. One thread. */
#ifndef PROFD_COMMON_SHORT_FILE_H
#define PROFD_COMMON_SHORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHORT_FILE_PATIENCE_MS = 3000 };

/* What the file at PATH has into BYTES, up to its end or to ROOM: *LENGTH. False with *WHY, a few
 * words that stay until the next call. */
bool short_file_read(const char *path, char *bytes, size_t room, size_t *length, const char **why);

/* Whether PATH, if it is there, is a file that somebody else can read as a whole. False with *WHY,
 * a constant. */
bool short_file_is_regular(const char *path, const char **why);

#endif
