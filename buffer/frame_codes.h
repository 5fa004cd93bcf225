/* Stacks as the encoders store and write them: one number for each frame, outermost first.
 *
 * A code is address << 1, or site << 1 | 1, so two frames are compared as one number. Only the
 * codes that a stack does not share with an earlier one are written; an address is written as its
 * distance to the previous native frame (buffer/entry.h, SAMPLE). Pure. */
#ifndef PROFD_BUFFER_FRAME_CODES_H
#define PROFD_BUFFER_FRAME_CODES_H

#include <stdint.h>

#include "buffer/arena_reader.h" /* struct stack_frame */

/* Writes the codes of DEPTH frames to CODES. Returns 0, or -EINVAL if a frame is not valid: an
 * address of 2^62 or above, or a site id of 2^32 or above. */
int frame_codes_make(const struct stack_frame *frames, uint32_t depth, uint64_t *codes);

/* Returns how many of their outermost frames the two stacks share. */
uint32_t frame_codes_shared(const uint64_t *a, uint32_t a_depth, const uint64_t *b,
                            uint32_t b_depth);

/* Writes the frames from position KEPT on, each of at most LEB128_MAX_BYTES. Returns the end. */
uint8_t *frame_codes_write(uint8_t *out, const uint64_t *codes, uint32_t depth, uint32_t kept);

#endif
