/* How far an exporter got, stored next to the batches of a spool, so that the next exporter can
 * continue there after one was killed. It is not valid after a reboot, since the clock starts
 * again. One thread. */
#ifndef PROFD_PROFCTL_COVERED_FILE_H
#define PROFD_PROFCTL_COVERED_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct covered {
    uint64_t until_ns;    /* CLOCK_MONOTONIC: everything before is in the spool, or was */
    bool has_begun;       /* a range from then on is being spooled … */
    uint64_t first_batch; /* … and this is the least number that one of its batches can have */
};

/* Reads it. Both functions take the descriptor of the folder. Returns 0, -ENOENT if there is none
 * or it is of another boot, or a negative errno. */
int covered_file_read(int directory, struct covered *covered);

/* Writes it. Returns 0, or a negative errno, after which there is none. */
int covered_file_write(int directory, const struct covered *covered);

#endif
