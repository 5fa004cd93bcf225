#include "child-agent/sampler/known_frames.h"

#include "buffer/hash_bytes.h"

static uint64_t path_of(const struct unwind_frame *frames, size_t count)
{
    uint64_t path = count;
    for (size_t i = 0; i < count; i++)
        path = hash_mix(path, frames[i].address);
    return path;
}

struct missed_frame missed_frame_of(const struct unwind_frame *frames, size_t count)
{
    return (struct missed_frame){ frames[count - 1].address, path_of(frames, count), count };
}

/* Where the frame that it called ends. */
uint64_t missed_frame_stack_pointer(const struct snapshot *snapshot,
                                    const struct unwind_frame *frames, size_t count)
{
    return count > 1 ? frames[count - 2].stack_address : snapshot->registers[REGISTER_RSP];
}

static size_t place_of(uint64_t pc)
{
    return (size_t)hash_mix(pc, 0) % KNOWN_FRAMES_MOST;
}

void known_frames_learn(struct known_frames *known, struct unwinder *unwinder,
                        const struct missed_frame *missed, const struct snapshot *snapshot,
                        const struct unwind_frame *frames, size_t count)
{
    if (missed->depth == 0 || missed->depth > count ||
        path_of(frames, missed->depth) != missed->path)
        return;
    struct known_frame *place = &known->frames[place_of(missed->pc)];
    if (place->pc == missed->pc)
        return;
    uint64_t low = missed_frame_stack_pointer(snapshot, frames, missed->depth);
    bool is_fixed = unwinder_has_fixed_frame(unwinder, missed->pc - 1);
    *place = (struct known_frame){
        .pc = missed->pc,
        .distance = is_fixed ? snapshot->registers[REGISTER_RBP] - low : 0,
    };
}

bool known_frames_find(const struct known_frames *known, uint64_t pc, uint64_t *distance)
{
    const struct known_frame *place = &known->frames[place_of(pc)];
    *distance = place->distance;
    return place->pc == pc && place->distance != 0;
}
