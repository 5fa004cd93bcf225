/* Puts a capture together: moves finished pieces of JSON into the output, one after the other.
 *
 * Pieces are descriptors; their bytes go from kernel to kernel on a worker thread, never through
 * profd's memory. What is not finished writes itself, on the same thread. The output may be a file
 * or a pipe whose reader stops: the loop never waits for it, and cancelling ends the waiting. The
 * first error (a full disk, a closed pipe) ends the writing; what was added is then let go. Loop
 * thread, but for the moving. */
#ifndef PROFD_DAEMON_CAPTURE_ASSEMBLER_H
#define PROFD_DAEMON_CAPTURE_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "daemon/programs/output_pump.h"

struct capture_assembler;

struct capture_assembler_events {
    /* All of PIECE, as it was given, is in the output, which had END bytes then. */
    void (*on_written)(void *piece, uint64_t end, void *owner);
    /* Nothing more is written; comes once. What waits is dropped, its on_written does not come. */
    void (*on_failed)(int error, void *owner);
    /* All is released, after capture_assembler_close(); the last call-back. */
    void (*on_closed)(void *owner);
};

/* Takes over OUTPUT_FD on every path. Call-backs come from the loop. */
int capture_assembler_create(uv_loop_t *loop, int output_fd,
                             const struct capture_assembler_events *events, void *owner,
                             struct capture_assembler **out);

/* Adds the first BYTES of FD, which is taken over on every path. PIECE (from malloc or
 * NULL; taken over on every path) is handed to on_written, or freed when it is dropped. An element
 * is separated from the element before by a comma. -ENOMEM, or the error that was told. */
int capture_assembler_add(struct capture_assembler *assembler, int fd, uint64_t bytes,
                          bool is_element, void *piece);

/* Adds what WRITE writes into the pump on the worker thread, from FD (taken over on every path) and
 * PIECE, which nobody else touches meanwhile. WRITE returns 0, or a negative errno, which ends the
 * writing. As above otherwise. */
typedef int (*capture_assembler_write)(struct output_pump *pump, int fd, void *piece);
int capture_assembler_add_writer(struct capture_assembler *assembler, int fd,
                                 capture_assembler_write write, void *piece);

/* In the output by now, also in the middle of a piece. */
uint64_t capture_assembler_bytes(const struct capture_assembler *assembler);

/* Stops at once, whatever is missing; frees later. */
void capture_assembler_close(struct capture_assembler *assembler);

#endif
