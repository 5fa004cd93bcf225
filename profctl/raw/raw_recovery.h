/* Where a raw capture goes on behind a record that is damaged. One thread. */
#ifndef PROFD_PROFCTL_RAW_RECOVERY_H
#define PROFD_PROFCTL_RAW_RECOVERY_H

#include <stdint.h>

#include "json/raw_capture.h"

/* Looks through FD, of FILE_BYTES, for the first record behind the damaged one at DAMAGED that is
 * what was written, by its check, and needs none before it, as those of an arena do: *AT is where
 * it stands. Its length may be what is damaged, so it looks at each byte. 1; 0 without any;
 * -ENOMEM, or an error of pread. */
int raw_recovery_find(int fd, uint64_t file_bytes, uint64_t damaged, uint64_t *at,
                      enum raw_kind *kind);

/* Returns whether a record that is what was written stands at AT. Likewise. */
int raw_recovery_is_sound(int fd, uint64_t file_bytes, uint64_t at);

#endif
