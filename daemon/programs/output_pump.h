/* Moves bytes from a file to an output of any kind; the wait for the output can be cancelled.
 *
 * A file accepts what it is given (or is full). The reader of a pipe or socket may stop: it is
 * waited for with poll(), together with an event descriptor that ends the wait. The output's flags
 * are not changed, since they belong to the program that opened it. Worker threads. */
#ifndef PROFD_DAEMON_OUTPUT_PUMP_H
#define PROFD_DAEMON_OUTPUT_PUMP_H

#include <stdatomic.h>
#include <stdint.h>

struct output_pump {
    int output_fd, cancel_fd; /* borrowed */
    _Atomic uint64_t bytes;   /* moved so far; any thread may read it */
    uint64_t end_of_room;     /* offset in the output where reserved space ends; 0: none is */
};

/* Moves the first COUNT bytes of SOURCE_FD. Returns 0; -ECANCELED if cancel_fd became readable;
 * -EIO if the source is shorter; or the output's error (-ENOSPC, -EPIPE, -EFBIG …). */
int output_pump_move(struct output_pump *pump, int source_fd, uint64_t count);

/* The same for COUNT bytes at BYTES in memory. */
int output_pump_write(struct output_pump *pump, const char *bytes, uint64_t count);

/* Announces up to COUNT bytes. For many bytes, space is reserved behind a file's end, which makes
 * writing them a third faster. Other outputs take the bytes as they come. */
void output_pump_expect(struct output_pump *pump, uint64_t count);

/* Gives back reserved space that was not needed. */
void output_pump_settle(struct output_pump *pump);

#endif
