/* Whether the frames of a function have one size, so that where they begin can be told from where
 * they end. Machine-specific: fixed_frame_x86_64.c. */
#ifndef PROFD_AGENT_FIXED_FRAME_H
#define PROFD_AGENT_FIXED_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether nothing in CODE, that of a whole function, moves the stack pointer by what is
 * known only when it runs: alloca(), arrays of variable length, alignment. The code is not decoded:
 * what only looks like such an instruction counts as well. Pure. */
bool fixed_frame_code(const uint8_t *code, size_t bytes);

#endif
