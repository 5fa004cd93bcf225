/* Frames and stacks, each stored once: the frameTable and stackTable of a thread.
 *
 * A stack is its caller's stack (the prefix) plus one frame, so stacks with a common beginning
 * share it, and a sample is one number. Open-addressing hash tables; memory from mmap. One
 * thread. */
#ifndef PROFD_JSON_GECKO_UNIQUE_STACKS_H
#define PROFD_JSON_GECKO_UNIQUE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* The key of a frame: an address, or the id of a label's site. */
struct frame_key {
    uint64_t value;
    bool is_label;
};

/* What the tables contain about a frame. */
struct frame_details {
    uint32_t location; /* index of a string */
    uint32_t line;     /* 0: none */
    uint32_t category;
    uint32_t subcategory; /* among those of the category */
    uint32_t file;        /* of the line: index of a string + 1; 0: not known */
    uint32_t tier;        /* of its compiler: index of a string + 1; 0: not known */
    bool is_inlined;      /* into the function of the frame that calls it */
};

struct unique_stacks {
    struct mapped_array frames;      /* struct unique_frame */
    struct mapped_array frame_slots; /* uint32_t: index + 1, or 0 */
    struct mapped_array stacks;      /* struct unique_stack */
    struct mapped_array stack_slots;
    struct failure_latch *latch; /* borrowed */
};

/* Allocates nothing before the first add. */
void unique_stacks_init(struct unique_stacks *stacks, struct failure_latch *latch);
void unique_stacks_fini(struct unique_stacks *stacks);

/* The index of the frame with KEY, or UNIQUE_NONE. */
uint32_t unique_stacks_find_frame(const struct unique_stacks *stacks, struct frame_key key);

/* Adds a frame that is not in the table yet. Returns its index, or UNIQUE_NONE after a failure,
 * which is latched. */
uint32_t unique_stacks_add_frame(struct unique_stacks *stacks, struct frame_key key,
                                 const struct frame_details *details);

/* Returns the index of the stack of FRAME called from PREFIX (UNIQUE_NONE: FRAME is the root),
 * which is added if it is new. A prefix always has a lower index than the stacks that continue it.
 * UNIQUE_NONE after a failure, which is latched. */
uint32_t unique_stacks_push(struct unique_stacks *stacks, uint32_t prefix, uint32_t frame);

uint32_t unique_stacks_frame_count(const struct unique_stacks *stacks);
/* The key of the frame at INDEX, which is below the count. */
struct frame_key unique_stacks_frame_key(const struct unique_stacks *stacks, uint32_t index);
uint32_t unique_stacks_stack_count(const struct unique_stacks *stacks);

/* Write the two tables as { schema, data } objects. */
void unique_stacks_stream_frame_table(const struct unique_stacks *stacks,
                                      struct json_writer *writer);
void unique_stacks_stream_stack_table(const struct unique_stacks *stacks,
                                      struct json_writer *writer);

#endif
