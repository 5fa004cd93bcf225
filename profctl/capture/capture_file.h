/* The file of a capture: checked before anything is recorded, put in place only when it is whole.
 *
 *     capture_file_prepare   the folder is there and can be written to; the raw capture's file
 *     capture_file_create    a file without a name in its folder, gzipped when that ends in .gz
 *     capture_file_write     … its contents, as a json_sink_write
 *     capture_file_commit    … put in place; an older default file becomes profile.old.json.gz
 *     capture_file_close     at any point: what was not committed is removed
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

/* PATH NULL: the default. EXIT_CODE_USAGE for a name that says no format. */
bool capture_file_prepare(const char *path, struct capture_file **out, struct failure *failure);
/* The same for the output of a capture, which may be raw as well: NAME.profd. */
bool capture_file_prepare_capture(const char *path, struct capture_file **out,
                                  struct failure *failure);
/* The same for a file of any format: the caller has checked PATH. */
bool capture_file_prepare_any(const char *path, struct capture_file **out, struct failure *failure);

/* Whether it is NAME.profd, which profd writes itself. */
bool capture_file_is_raw(const struct capture_file *file);

/* A file without a name in DIRECTORY; or a negative errno. */
int capture_file_open_nameless(const char *directory);

/* Where profd writes: a file without a name in the output's folder; after capture_file_create() of
 * one that is raw, that. */
int capture_file_raw_fd(const struct capture_file *file);

bool capture_file_create(struct capture_file *file, struct failure *failure);
/* Begins again: what was written is let go. */
bool capture_file_restart(struct capture_file *file, struct failure *failure);
/* 0 or a negative errno. CONTEXT is the struct capture_file. */
int capture_file_write(void *context, const char *bytes, size_t count);
bool capture_file_commit(struct capture_file *file, struct failure *failure);

/* NULL is allowed. */
void capture_file_close(struct capture_file *file);

const char *capture_file_path(const struct capture_file *file);

#endif
