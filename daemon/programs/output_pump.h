/* Moves bytes from a file into an output of any kind without waiting longer than told.
 *
 * A file takes what it gets (or is full); a pipe or socket may have a reader that stops, which is
 * waited for with poll(), together with an event descriptor that ends the waiting. Nothing of the
 * output's own flags is changed: they belong to the program that opened it. Worker threads. */
#ifndef PROFD_DAEMON_OUTPUT_PUMP_H
#define PROFD_DAEMON_OUTPUT_PUMP_H

#include <stdatomic.h>
#include <stdint.h>

struct output_pump {
    int output_fd, cancel_fd; /* borrowed */
    _Atomic uint64_t bytes;   /* moved until now; any thread may read it */
    uint64_t end_of_room;     /* in the output; what is set aside for it ends here. 0: nothing is */
};

/* Moves COUNT bytes of SOURCE_FD from its start. 0; -ECANCELED when cancel_fd became readable; -EIO
 * when the source is shorter; or the output's error (-ENOSPC, -EPIPE, -EFBIG …). */
int output_pump_move(struct output_pump *pump, int source_fd, uint64_t count);

/* The same for COUNT BYTES of memory. */
int output_pump_write(struct output_pump *pump, const char *bytes, uint64_t count);

/* Says that up to COUNT bytes come next. A file sets room aside for many at once, behind its end,
 * which takes a third off the time of writing them; what cannot, takes them as they come. */
void output_pump_expect(struct output_pump *pump, uint64_t count);

/* Gives back the room that was set aside and is not needed. */
void output_pump_settle(struct output_pump *pump);

#endif
