/* Assembles a capture: moves finished pieces of JSON into the output, one after the other.
 *
 * Pieces are descriptors; a worker thread moves their bytes within the kernel, never through
 * profd's memory. Unfinished pieces are written by a function that runs on the same thread. The
 * output may be a file, or a pipe whose reader has stopped: the loop never waits for it, and
 * cancelling ends the wait. The first error (a full disk, a closed pipe) ends the writing; what was
 * added is then dropped. Loop thread, except for the moving. */
#ifndef PROFD_DAEMON_CAPTURE_ASSEMBLER_H
#define PROFD_DAEMON_CAPTURE_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "daemon/programs/output_pump.h"

struct capture_assembler;

struct capture_assembler_events {
    /* All of PIECE, the pointer that was passed, is in the output, which then had END bytes. */
    void (*on_written)(void *piece, uint64_t end, void *owner);
    /* Nothing more will be written; called once. Pieces that wait are dropped without
     * on_written. */
    void (*on_failed)(int error, void *owner);
    /* Everything has been released after capture_assembler_close(); the last callback. */
    void (*on_closed)(void *owner);
};

/* Takes over OUTPUT_FD on every path. Callbacks come from the loop. Returns 0 or a negative
 * errno. */
int capture_assembler_create(uv_loop_t *loop, int output_fd,
                             const struct capture_assembler_events *events, void *owner,
                             struct capture_assembler **out);

/* Adds the first BYTES of FD, which is taken over on every path. PIECE (from malloc, or NULL; taken
 * over on every path) is passed to on_written, or freed when it is dropped. With IS_ELEMENT, a
 * comma separates it from the previous element. Returns 0, -ENOMEM, or the error that on_failed was
 * told. */
int capture_assembler_add(struct capture_assembler *assembler, int fd, uint64_t bytes,
                          bool is_element, void *piece);

/* Adds what WRITE writes into the pump, on the worker thread, from FD (taken over on every path)
 * and PIECE, which nobody else touches in the meantime. WRITE returns 0, or a negative errno that
 * ends the writing. Otherwise as above. */
typedef int (*capture_assembler_write)(struct output_pump *pump, int fd, void *piece);
int capture_assembler_add_writer(struct capture_assembler *assembler, int fd,
                                 capture_assembler_write write, void *piece);

/* The bytes written so far, including those of a piece that is not finished. */
uint64_t capture_assembler_bytes(const struct capture_assembler *assembler);

/* Stops at once, whatever is missing; the memory is freed later, from the loop. */
void capture_assembler_close(struct capture_assembler *assembler);

#endif
