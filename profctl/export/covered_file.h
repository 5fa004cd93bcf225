/* Up to when everything is exported, kept beside the batches of a spool: the exporter that comes
 * after one that was killed goes on there. Of another boot it tells nothing, since the clock began
 * anew. One thread. */
#ifndef PROFD_PROFCTL_COVERED_FILE_H
#define PROFD_PROFCTL_COVERED_FILE_H

#include <stdint.h>

/* Both take the descriptor of the folder. The time is of CLOCK_MONOTONIC.
 *
 * 0; -ENOENT: there is none, or it is of another boot; or a negative errno. */
int covered_file_read(int directory, uint64_t *covered_ns);

/* 0, or a negative errno: there is none then. */
int covered_file_write(int directory, uint64_t covered_ns);

#endif
