/* Writes samples, of the ticks of a sampler and of threads themselves (layout in
 * buffer/entry.h).
 *
 * Keeps, per thread, the stack last written in the current chunk, and stores a new one as what it
 * shares with it plus what is new. When the chunk changes, also in the middle of a tick, the new
 * one begins with a TICK of the same time and every thread's next stack is written whole; for
 * threads that sleep on, sample_encoder_needs_stack() tells that theirs is not in the chunk yet.
 * One thread at a time, also in signal handlers. Memory from mmap, touched only as far as stacks
 * are deep. */
#ifndef PROFD_BUFFER_SAMPLE_ENCODER_H
#define PROFD_BUFFER_SAMPLE_ENCODER_H

#include "buffer/arena_reader.h" /* struct stack_frame, struct stack_state */
#include "buffer/chunk_writer.h"

struct sample_encoder; /* opaque */

/* WRITER is borrowed and must have CHUNK_WRITER_SAMPLER as its index. The stacks of CAPACITY
 * threads are remembered, at least 1; threads whose indices are a multiple of it apart share a
 * place, and the later one takes it: its stack is written whole. -ENOMEM. */
int sample_encoder_create(struct chunk_writer *writer, uint32_t capacity,
                          struct sample_encoder **out);

/* How many bytes of addresses one with that CAPACITY has. */
size_t sample_encoder_bytes(uint32_t capacity);
void sample_encoder_destroy(struct sample_encoder *encoder);

/* All that write: 0; errors as chunk_writer_refill (counted there); -EINVAL, with nothing written,
 * for a sample before the first tick. */

/* Starts a tick at TICKS (not before the previous one). */
int sample_encoder_tick(struct sample_encoder *encoder, uint64_t ticks);

/* COUNT ticks (at most QUIET_TICKS_MOST) at which no thread ran and of which nothing else is told:
 * evenly spread from the latest tick, which there must be, to TICKS. */
int sample_encoder_quiet_ticks(struct sample_encoder *encoder, uint32_t count, uint64_t ticks);

/* A stack, outermost frame first; written as SAME when nothing changed. -EINVAL also for DEPTH
 * above SAMPLE_MAX_FRAMES and for a frame that cannot be one (an address from 2^62, a site id from
 * 2^32). Truncated stacks are not counted here: who cut them did. */
int sample_encoder_sample(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks,
                          uint64_t cpu_us, const struct stack_frame *frames, uint32_t depth,
                          bool is_truncated);
/* Of a thread whose clock interrupted it: needs no tick. Otherwise as sample_encoder_sample(). */
int sample_encoder_timed_sample(struct sample_encoder *encoder, uint32_t thread_index,
                                uint64_t ticks, uint64_t cpu_us, const struct stack_frame *frames,
                                uint32_t depth, bool is_truncated);
/* CPU use that no sample stands for; needs no tick. */
int sample_encoder_thread_cpu(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks,
                              uint64_t cpu_us);

int sample_encoder_late(struct sample_encoder *encoder, uint32_t thread_index);
int sample_encoder_event_delay(struct sample_encoder *encoder, uint32_t thread_index,
                               uint64_t delay_us);
/* ENTRY, but for its ticks_after_tick, at TICKS; the name is cut at UNREGISTERED_NAME_BYTES. */
enum { UNREGISTERED_NAME_BYTES = 15 };
int sample_encoder_unregistered(struct sample_encoder *encoder,
                                const struct unregistered_entry *entry, uint64_t ticks);

/* True when the thread has a stack from an earlier chunk that the current one lacks;
 * sample_encoder_repeat() writes it whole, at TICKS, with no CPU use (0 and nothing written when
 * there is none to repeat). */
bool sample_encoder_needs_stack(const struct sample_encoder *encoder, uint32_t thread_index);
int sample_encoder_repeat(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks);

/* Makes room for an entry of ENTRY_BYTES, in the current chunk or else the next one. */
int sample_encoder_make_room(struct sample_encoder *encoder, size_t entry_bytes);

/* Copies another finished ENTRY of the tick (kind byte first; buffer/sampler_entry.h writes them)
 * into a block. */
int sample_encoder_put(struct sample_encoder *encoder, const uint8_t *entry, size_t entry_bytes);

/* The time of the latest tick, and a number for the chunk that it is in, different for each. */
uint64_t sample_encoder_tick_ticks(const struct sample_encoder *encoder);
uint64_t sample_encoder_epoch(const struct sample_encoder *encoder);

/* Forgets a thread whose index is reused or gone. */
void sample_encoder_forget(struct sample_encoder *encoder, uint32_t thread_index);

#endif
