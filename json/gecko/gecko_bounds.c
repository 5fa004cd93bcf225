/* How much an arena can make the maker of its profile hold.
 *
 * A few bytes of an arena may stand for much: an allocation for a stack in the tables of whichever
 * thread it names, a marker for the names of all its fields. Of what real programs record it is up
 * to some forty times as much; an arena that was made to be expensive has its further entries left
 * out, and counted. */
#include "json/gecko/gecko_context.h"

enum {
    STRING_BYTES = 32, /* an entry of each table, with its slots */
    FRAME_BYTES = 40,
    STACK_BYTES = 16,
    HELD_BYTES_FOR_EACH = 64, /* times the bytes of the chunks */
};

static const uint64_t base_held_bytes = UINT64_C(256) << 20;
static const uint64_t max_held_bytes = UINT64_C(2) << 30;

static uint64_t allowed_bytes(const struct process_context *process)
{
    uint64_t allowed;
    if (process->options.max_held_bytes != 0)
        return process->options.max_held_bytes;
    if (__builtin_mul_overflow(process->chunk_bytes, (uint64_t)HELD_BYTES_FOR_EACH, &allowed) ||
        allowed > max_held_bytes - base_held_bytes)
        return max_held_bytes;
    return base_held_bytes + allowed;
}

bool bounds_allow(struct process_context *process)
{
    bool has_room = process->held_bytes < allowed_bytes(process);
    process->left_out_entries += !has_room;
    return has_room;
}

void bounds_account(struct process_context *process, struct thread_context *thread)
{
    uint64_t held = json_writer_bytes(&thread->markers) + thread->strings.bytes.count +
                    thread->strings.entries.count * STRING_BYTES +
                    thread->stacks.frames.count * FRAME_BYTES +
                    thread->stacks.stacks.count * STACK_BYTES + thread->samples.rows.count +
                    thread->samples.timed.count * sizeof(struct timed_row) +
                    thread->open_markers.capacity * sizeof(uint32_t);
    process->held_bytes += held - thread->held_bytes;
    thread->held_bytes = held;
}
