/* Files of debug information that are found by the build id of a library, whose own file may be
 * gone: those of this machine's packages, and those of debuginfod servers, which keep them in a
 * cache on disk (debuginfod-find(1)).
 *
 * Servers are asked only where the user says so: a capture does not wait for the network by itself.
 * One thread. */
#ifndef PROFD_PROFCTL_DEBUG_FILES_H
#define PROFD_PROFCTL_DEBUG_FILES_H

#include <stdbool.h>

enum { DEBUG_FILE_PATH_BYTES = 256 };

/* Where a package installs the file for BUILD_ID (lower-case hexadecimal). False: it is no build id
 * that has one. Pure. */
bool debug_file_path(const char *build_id, char path[DEBUG_FILE_PATH_BYTES]);

/* Servers may be asked once debug_files_begin() is called: those of $DEBUGINFOD_URLS, for at most
 * two minutes, or $DEBUGINFOD_MAXTIME seconds, for all files together; where that was not enough, a
 * line on standard error says so. With SHOWS_PROGRESS another one, which is overwritten, tells what
 * is fetched. The environment stays as it is, since programs may be started before. Returns 0,
 * -EDESTADDRREQ when no server is named there, or -ELIBACC when there is no libdebuginfod on this
 * machine. */
int debug_files_allow_servers(bool shows_progress);

/* The search begins. Unless servers may be asked, nobody does so from here on: libraries that we
 * use would by themselves. Returns 0 or -ENOMEM. */
int debug_files_begin(void);

/* The file for BUILD_ID, from a package or a server: a descriptor, or -ENOENT. */
int debug_file_open(const char *build_id);

#endif
