/* Standard streams that were closed when the program was started. */
#ifndef PROFD_COMMON_STANDARD_STREAMS_H
#define PROFD_COMMON_STANDARD_STREAMS_H

/* Fills those of the descriptors 0 to 2 that are closed, so that no socket takes such a number and
 * is then written to as a stream. Reading and writing go on to fail there, and programs that are
 * started find them closed. First thing in main. 0 or -errno. */
int standard_streams_fill(void);

#endif
