/* The file of a capture. It is checked before anything is recorded, and put in place only when it
 * is complete.
 *
 *     capture_file_prepare   checks that the folder exists and is writable; opens the raw capture
 *     capture_file_create    opens an unnamed file in that folder, gzipped if PATH ends in .gz
 *     capture_file_write     … writes to it, as a json_sink_write
 *     capture_file_commit    … puts it in place; an older default file becomes profile.old.json.gz
 *     capture_file_close     at any point: removes what was not committed
 *
 * One thread. */
#ifndef PROFD_PROFCTL_CAPTURE_FILE_H
#define PROFD_PROFCTL_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/failure.h"

#define CAPTURE_FILE_DEFAULT "profile.json.gz"
#define CAPTURE_FILE_OLD     "profile.old.json.gz"

struct capture_file; /* opaque */

/* Prepares the file at PATH (NULL: the default). Fails with EXIT_CODE_USAGE if the name does not
 * tell the format. Returns false with FAILURE filled. */
bool capture_file_prepare(const char *path, struct capture_file **out, struct failure *failure);
/* Like capture_file_prepare(), for the output of a capture, which may also be raw: NAME.profd. */
bool capture_file_prepare_capture(const char *path, struct capture_file **out,
                                  struct failure *failure);
/* Like capture_file_prepare(), for a file of any format. The caller has checked PATH. */
bool capture_file_prepare_any(const char *path, struct capture_file **out, struct failure *failure);

/* Returns whether the file is NAME.profd, which profd writes itself. */
bool capture_file_is_raw(const struct capture_file *file);

/* Returns the descriptor of a new unnamed file in DIRECTORY, or a negative errno. */
int capture_file_open_nameless(const char *directory);

/* Returns the descriptor that profd writes to: an unnamed file in the output's folder, or after
 * capture_file_create() of a raw file, that file. */
int capture_file_raw_fd(const struct capture_file *file);

bool capture_file_create(struct capture_file *file, struct failure *failure);
/* Begins again and discards what was written. */
bool capture_file_restart(struct capture_file *file, struct failure *failure);
/* A json_sink_write; CONTEXT is the struct capture_file. Returns 0 or a negative errno. */
int capture_file_write(void *context, const char *bytes, size_t count);
bool capture_file_commit(struct capture_file *file, struct failure *failure);

/* Frees FILE. NULL is allowed. */
void capture_file_close(struct capture_file *file);

const char *capture_file_path(const struct capture_file *file);

#endif
