/* Rooms for taking samples: all that is needed to unwind and write one, so that a signal handler
 * needs no memory of its own and hardly any of its thread's stack.
 *
 * There are a few rooms, shared by all threads. Each belongs to one thread at a time, is taken and
 * left without waiting, and has a chunk of its own. So threads that run only once do not cost a
 * chunk each, and a chunk has one writer at any time. A thread prefers the room that it had last,
 * which knows its previous stack. */
#ifndef PROFD_AGENT_SAMPLE_ROOM_H
#define PROFD_AGENT_SAMPLE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/allocation_encoder.h"
#include "buffer/chunk_manager.h"
#include "buffer/sample_encoder.h"
#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwinder.h"

enum { SAMPLE_ROOM_STACK_BYTES = 48 * 1024 };

struct sample_room {
    _Atomic bool is_taken;
    struct chunk_writer writer;
    struct sample_encoder *encoder;        /* uses the writer */
    struct allocation_encoder allocations; /* uses the writer */
    struct snapshot snapshot;
    struct unwind_frame native[SAMPLE_MAX_FRAMES];
    struct stack_frame merged[SAMPLE_MAX_FRAMES];
    uint8_t foreign_stack[SNAPSHOT_FOREIGN_STACK_BYTES];
    _Alignas(64) uint8_t stack[SAMPLE_ROOM_STACK_BYTES]; /* the stack to work on; see
                                                          * run_on_stack.h */
};

/* Opens all rooms for a session whose chunks MANAGER (borrowed) has. The first thread that takes a
 * room prepares it. One thread at a time. Returns 0 or -ENOMEM. */
int sample_rooms_open(struct chunk_manager *manager);

/* Prepares all rooms that nobody is in, so that taking one needs no system call. */
void sample_rooms_prepare(void);

/* Closes all rooms, waits until all threads have left, and gives the chunks back. */
void sample_rooms_close(void);

typedef void sample_room_worker(struct sample_room *room, void *argument);

/* Runs WORK with ARGUMENT in a room, on the room's stack, with all signals blocked: the stack of
 * the thread may be small, and its handlers may never return. Returns false if no room is free or
 * all are closed. Any thread. */
bool sample_room_work(sample_room_worker *work, void *argument);

/* Like sample_room_work(), in a signal handler in which all signals are blocked. */
bool sample_room_work_in_handler(sample_room_worker *work, void *argument);

/* Called in a forked child, where nobody is in a room and all rooms are closed. */
void sample_rooms_after_fork_child(void);

#endif
