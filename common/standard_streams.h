/* Standard streams that were closed when the program was started. */
#ifndef PROFD_COMMON_STANDARD_STREAMS_H
#define PROFD_COMMON_STANDARD_STREAMS_H

/* Fills those of the descriptors 0 to 2 that are closed, so that no socket gets such a number and
 * is written to as a stream. Reading and writing them still fails, and programs that are started
 * find them closed. To be called first in main(). Returns 0 or a negative errno. */
int standard_streams_fill(void);

#endif
