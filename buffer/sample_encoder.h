/* Writes samples, both of the sampler's ticks and of threads that sample themselves (layout in
 * buffer/entry.h).
 *
 * For each thread the encoder remembers the stack that was last written in the current chunk, and
 * stores a new stack as the part that both share plus the part that is new. When the chunk changes,
 * possibly in the middle of a tick, the new chunk begins with a TICK of the same time, and the next
 * stack of every thread is written whole. For threads that keep sleeping,
 * sample_encoder_needs_stack() tells whether their stack is missing from the chunk. One thread at a
 * time; may be used in signal handlers. Memory comes from mmap and is touched only as far as stacks
 * are deep. */
#ifndef PROFD_BUFFER_SAMPLE_ENCODER_H
#define PROFD_BUFFER_SAMPLE_ENCODER_H

#include "buffer/arena_reader.h" /* struct stack_frame, struct stack_state */
#include "buffer/chunk_writer.h"

struct sample_encoder; /* opaque */

/* Creates an encoder. WRITER is borrowed and must have the index CHUNK_WRITER_SAMPLER. The encoder
 * remembers the stacks of CAPACITY threads, at least 1. Threads whose indices differ by a multiple
 * of CAPACITY share a place; the later one takes it over, and its stack is written whole. Returns 0
 * or -ENOMEM. */
int sample_encoder_create(struct chunk_writer *writer, uint32_t capacity,
                          struct sample_encoder **out);

/* Returns how many bytes of address space an encoder of that CAPACITY takes. */
size_t sample_encoder_bytes(uint32_t capacity);
void sample_encoder_destroy(struct sample_encoder *encoder);

/* All functions that write return 0; an error of chunk_writer_refill() (counted there); or -EINVAL,
 * with nothing written, for a sample before the first tick. */

/* Starts a tick at TICKS, which must not be before the previous one. */
int sample_encoder_tick(struct sample_encoder *encoder, uint64_t ticks);

/* Writes COUNT ticks, at most QUIET_TICKS_MOST, at which no thread ran and nothing else is to be
 * reported. They are evenly spaced from the latest tick, which must exist, to TICKS. */
int sample_encoder_quiet_ticks(struct sample_encoder *encoder, uint32_t count, uint64_t ticks);

/* Writes a stack, outermost frame first, as SAME if it has not changed. Also returns -EINVAL if
 * DEPTH is above SAMPLE_MAX_FRAMES or a frame is not valid (an address of 2^62 or above, or a site
 * id of 2^32 or above). Truncated stacks are counted by the one who truncates them, not here. */
int sample_encoder_sample(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks,
                          uint64_t cpu_us, const struct stack_frame *frames, uint32_t depth,
                          bool is_truncated);
/* Like sample_encoder_sample(), for a thread that was interrupted by its own clock. Needs no
 * tick. */
int sample_encoder_timed_sample(struct sample_encoder *encoder, uint32_t thread_index,
                                uint64_t ticks, uint64_t cpu_us, const struct stack_frame *frames,
                                uint32_t depth, bool is_truncated);
/* Writes CPU use that no sample accounts for. Needs no tick. */
int sample_encoder_thread_cpu(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks,
                              uint64_t cpu_us);

int sample_encoder_late(struct sample_encoder *encoder, uint32_t thread_index);
int sample_encoder_event_delay(struct sample_encoder *encoder, uint32_t thread_index,
                               uint64_t delay_us);
/* Writes ENTRY at TICKS; its ticks_after_tick is ignored. The name is cut at
 * UNREGISTERED_NAME_BYTES. */
enum { UNREGISTERED_NAME_BYTES = 15 };
int sample_encoder_unregistered(struct sample_encoder *encoder,
                                const struct unregistered_entry *entry, uint64_t ticks);

/* sample_encoder_needs_stack() returns whether the thread has a stack from an earlier chunk that is
 * missing from the current one. sample_encoder_repeat() writes that stack whole, at TICKS, with no
 * CPU use. It returns 0 and writes nothing if there is no stack to repeat. */
bool sample_encoder_needs_stack(const struct sample_encoder *encoder, uint32_t thread_index);
int sample_encoder_repeat(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks);

/* Makes room for an entry of ENTRY_BYTES, in the current chunk or else in a new one. */
int sample_encoder_make_room(struct sample_encoder *encoder, size_t entry_bytes);

/* Copies a finished ENTRY of another kind into a block of the current tick. ENTRY starts with its
 * kind byte; buffer/sampler_entry.h writes such entries. */
int sample_encoder_put(struct sample_encoder *encoder, const uint8_t *entry, size_t entry_bytes);

/* Return the time of the latest tick, and a number that is unique to the chunk that holds it. */
uint64_t sample_encoder_tick_ticks(const struct sample_encoder *encoder);
uint64_t sample_encoder_epoch(const struct sample_encoder *encoder);

/* Forgets a thread that is gone or whose index is reused. */
void sample_encoder_forget(struct sample_encoder *encoder, uint32_t thread_index);

#endif
