/* Batches as files in the folder of a spool. A file is there whole or not at all; nothing that is
 * there instead of one holds anybody up. One thread. */
#ifndef PROFD_PROFCTL_SPOOL_FILES_H
#define PROFD_PROFCTL_SPOOL_FILES_H

#include <stdint.h>

#include "json/mapped_array.h"

/* The name of a file that is not whole yet. */
#define SPOOL_NEW_NAME "new.batch"

/* Writes what BUFFER (char) has to the file NAME in DIRECTORY. Returns 0 or a negative errno. */
int spool_file_write(int directory, const char *name, const struct mapped_array *buffer);

/* Reads the first BYTES of NAME in DIRECTORY, or fewer if there are no more, into BUFFER. Returns
 * 0; -EISDIR if it is a folder, -ENXIO if it is something else than a file; or another negative
 * errno. */
int spool_file_read(int directory, const char *name, uint64_t bytes, struct mapped_array *buffer);

#endif
