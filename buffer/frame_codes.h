/* Stacks as the encoders keep and write them: one number for each frame, outermost first.
 *
 * A code is address << 1, or site << 1 | 1, so that two frames compare in one go; what is written
 * are the codes that a stack does not share with an earlier one, addresses as distances to the
 * native frame before (buffer/entry.h, SAMPLE). Pure. */
#ifndef PROFD_BUFFER_FRAME_CODES_H
#define PROFD_BUFFER_FRAME_CODES_H

#include <stdint.h>

#include "buffer/arena_reader.h" /* struct stack_frame */

/* The codes of DEPTH frames. -EINVAL for one that cannot be a frame: an address from 2^62, a site
 * id from 2^32. */
int frame_codes_make(const struct stack_frame *frames, uint32_t depth, uint64_t *codes);

/* How many outer frames the two stacks share. */
uint32_t frame_codes_shared(const uint64_t *a, uint32_t a_depth, const uint64_t *b,
                            uint32_t b_depth);

/* Writes the frames from KEPT on (each at most LEB128_MAX_BYTES); returns the end. */
uint8_t *frame_codes_write(uint8_t *out, const uint64_t *codes, uint32_t depth, uint32_t kept);

#endif
