/* What a frame of a profile is called: its function, as profctl named it, or where it is when
 * nobody did.
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_FRAME_NAME_H
#define PROFD_PROFCTL_FRAME_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "profctl/profile/thread_tables.h"
#include "profctl/symbols/process_libraries.h"

enum { FRAME_NAME_BYTES = 512 }; /* for an address and its library */

/* The name of LOCATION, a string of TABLES: that string; "0xOFFSET (in LIBRARY)" for an address in
 * one of LIBRARIES, so that it is the same in all processes; or one name for all that was in none.
 * In OUT, or in TABLES; not terminated, of *LENGTH. */
const char *frame_name(const struct thread_tables *tables,
                       const struct process_libraries *libraries, uint32_t location,
                       char out[FRAME_NAME_BYTES], size_t *length);

#endif
