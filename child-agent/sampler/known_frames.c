#include "child-agent/sampler/known_frames.h"

/* The outermost of COUNT frames. Its stack pointer is where the one that it called ends. */
static struct known_frame last_frame(const struct snapshot *snapshot,
                                     const struct unwind_frame *frames, size_t count)
{
    return (struct known_frame){
        .pc = frames[count - 1].address,
        .stack_pointer =
            count > 1 ? frames[count - 2].stack_address : snapshot->registers[REGISTER_RSP],
        .depth = count,
    };
}

static bool is_same(const struct known_frame *left, const struct known_frame *right)
{
    return left->depth == right->depth && left->pc == right->pc &&
           left->stack_pointer == right->stack_pointer;
}

void known_frames_miss(struct known_frames *known, const struct snapshot *snapshot,
                       const struct unwind_frame *frames, size_t count)
{
    known->missed = (struct known_frame){ 0 };
    if (count > 0)
        known->missed = last_frame(snapshot, frames, count);
}

void known_frames_learn(struct known_frames *known, const struct snapshot *snapshot,
                        const struct unwind_frame *frames, size_t count)
{
    const struct known_frame missed = known->missed;
    known->missed = (struct known_frame){ 0 };
    if (missed.depth == 0 || missed.depth > count)
        return;
    const struct known_frame now = last_frame(snapshot, frames, missed.depth);
    if (!is_same(&now, &missed))
        return;
    known->frames[known->next] = now;
    known->frame_pointers[known->next] = snapshot->registers[REGISTER_RBP];
    known->next = (known->next + 1) % KNOWN_FRAMES_MOST;
}

bool known_frames_find(const struct known_frames *known, const struct snapshot *snapshot,
                       const struct unwind_frame *frames, size_t count, uint64_t *frame_pointer)
{
    if (count == 0)
        return false;
    const struct known_frame sought = last_frame(snapshot, frames, count);
    for (size_t i = 0; i < KNOWN_FRAMES_MOST; i++) {
        if (is_same(&known->frames[i], &sought)) {
            *frame_pointer = known->frame_pointers[i];
            return true;
        }
    }
    return false;
}
