/* The time up to which everything is exported, stored next to the batches of a spool, so that the
 * next exporter can continue there after one was killed. It is not valid after a reboot, since the
 * clock starts again. One thread. */
#ifndef PROFD_PROFCTL_COVERED_FILE_H
#define PROFD_PROFCTL_COVERED_FILE_H

#include <stdint.h>

/* Reads the time. Both functions take the descriptor of the folder; the time is CLOCK_MONOTONIC.
 *
 * Returns 0, -ENOENT if there is none or it is of another boot, or a negative errno. */
int covered_file_read(int directory, uint64_t *covered_ns);

/* Writes the time. Returns 0, or a negative errno, after which there is none. */
int covered_file_write(int directory, uint64_t covered_ns);

#endif
