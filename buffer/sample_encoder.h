/* Writes samples: the sampler's side of TICK, SAMPLE, SAME and LATE (layout in buffer/entry.h).
 *
 * Keeps, per thread, the stack last written in the current chunk, and stores a new one as what it
 * shares with it plus what is new. When the chunk changes, every thread's next stack is written
 * whole; for threads that sleep on, sample_encoder_needs_stack() tells that theirs is not in the
 * chunk yet. Sampler thread only. Memory from mmap. */
#ifndef PROFD_BUFFER_SAMPLE_ENCODER_H
#define PROFD_BUFFER_SAMPLE_ENCODER_H

#include "buffer/arena_reader.h" /* struct stack_frame, struct stack_state */
#include "buffer/chunk_writer.h"

struct sample_encoder; /* opaque */

/* WRITER is borrowed and must have CHUNK_WRITER_SAMPLER as its index. */
int sample_encoder_create(struct chunk_writer *writer, uint32_t max_threads,
                          struct sample_encoder **out);
void sample_encoder_destroy(struct sample_encoder *encoder);

/* Starts a tick at TICKS (not before the previous one). Errors as chunk_writer_refill. */
int sample_encoder_tick(struct sample_encoder *encoder, uint64_t ticks);

/* A stack, outermost frame first, DEPTH <= SAMPLE_MAX_FRAMES; written as SAME when nothing changed.
 */
int sample_encoder_sample(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks,
                          uint64_t cpu_us, const struct stack_frame *frames, uint32_t depth,
                          bool is_truncated);
int sample_encoder_late(struct sample_encoder *encoder, uint32_t thread_index);

/* True when the thread has a stack from an earlier chunk that the current one lacks;
 * sample_encoder_repeat() writes it whole, at TICKS, with no CPU use. */
bool sample_encoder_needs_stack(const struct sample_encoder *encoder, uint32_t thread_index);
int sample_encoder_repeat(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks);

/* Forgets a thread whose index is reused or gone. */
void sample_encoder_forget(struct sample_encoder *encoder, uint32_t thread_index);

#endif
