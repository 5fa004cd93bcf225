#include "json/gecko/unique_stacks.h"

#include <errno.h>
#include <string.h>

#include "json/gecko/gecko_schema.h"
#include "json/hash.h"
#include "json/json_format.h"
#include "json/json_writer_room.h"

struct unique_frame {
    struct frame_key key;
    struct frame_details details;
};

struct unique_stack {
    uint32_t prefix; /* UNIQUE_NONE: none */
    uint32_t frame;
};

void unique_stacks_init(struct unique_stacks *stacks, struct failure_latch *latch)
{
    memset(stacks, 0, sizeof(*stacks));
    stacks->latch = latch;
}

void unique_stacks_fini(struct unique_stacks *stacks)
{
    mapped_array_free(&stacks->frames);
    mapped_array_free(&stacks->frame_slots);
    mapped_array_free(&stacks->stacks);
    mapped_array_free(&stacks->stack_slots);
}

uint32_t unique_stacks_frame_count(const struct unique_stacks *stacks)
{
    return (uint32_t)stacks->frames.count;
}

uint32_t unique_stacks_stack_count(const struct unique_stacks *stacks)
{
    return (uint32_t)stacks->stacks.count;
}

static const struct unique_frame *frame_at(const struct unique_stacks *stacks, uint32_t index)
{
    return (const struct unique_frame *)stacks->frames.items + index;
}

struct frame_key unique_stacks_frame_key(const struct unique_stacks *stacks, uint32_t index)
{
    return frame_at(stacks, index)->key;
}

static const struct unique_stack *stack_at(const struct unique_stacks *stacks, uint32_t index)
{
    return (const struct unique_stack *)stacks->stacks.items + index;
}

static uint64_t hash_frame(struct frame_key key)
{
    return hash_mix(key.value, key.is_label);
}

static uint64_t hash_stack(struct unique_stack stack)
{
    return hash_mix(stack.prefix, stack.frame);
}

static uint64_t hash_of_frame(const void *table, uint32_t index)
{
    return hash_frame(frame_at(table, index)->key);
}

static uint64_t hash_of_stack(const void *table, uint32_t index)
{
    return hash_stack(*stack_at(table, index));
}

uint32_t unique_stacks_find_frame(const struct unique_stacks *stacks, struct frame_key key)
{
    if (stacks->frame_slots.count == 0)
        return UNIQUE_NONE;
    struct hash_probe probe = hash_probe_start(&stacks->frame_slots, hash_frame(key));
    for (uint32_t slot; (slot = hash_probe_next(&probe)) != 0;) {
        const struct frame_key *kept = &frame_at(stacks, slot - 1)->key;
        if (kept->value == key.value && kept->is_label == key.is_label)
            return slot - 1;
    }
    return UNIQUE_NONE;
}

static uint32_t find_stack(const struct unique_stacks *stacks, struct unique_stack wanted)
{
    if (stacks->stack_slots.count == 0)
        return UNIQUE_NONE;
    struct hash_probe probe = hash_probe_start(&stacks->stack_slots, hash_stack(wanted));
    for (uint32_t slot; (slot = hash_probe_next(&probe)) != 0;) {
        const struct unique_stack *kept = stack_at(stacks, slot - 1);
        if (kept->prefix == wanted.prefix && kept->frame == wanted.frame)
            return slot - 1;
    }
    return UNIQUE_NONE;
}

/* Room for one more item and its slot; false after a failure. */
static bool make_room(struct unique_stacks *stacks, struct mapped_array *items, size_t item_bytes,
                      struct mapped_array *slots,
                      uint64_t (*hash_of)(const void *table, uint32_t index))
{
    int error = failure_latch_error(stacks->latch);
    if (error == 0 && items->count >= UNIQUE_NONE - 1)
        error = -ENOSPC;
    if (error == 0)
        error = mapped_array_reserve(items, items->count + 1, item_bytes);
    if (error == 0)
        error = hash_make_room(slots, (uint32_t)items->count, hash_of, stacks);
    failure_latch_set(stacks->latch, error);
    return error == 0;
}

uint32_t unique_stacks_add_frame(struct unique_stacks *stacks, struct frame_key key,
                                 const struct frame_details *details)
{
    if (!make_room(stacks, &stacks->frames, sizeof(struct unique_frame), &stacks->frame_slots,
                   hash_of_frame))
        return UNIQUE_NONE;
    uint32_t index = (uint32_t)stacks->frames.count++;
    struct unique_frame *frame = (struct unique_frame *)stacks->frames.items + index;
    *frame = (struct unique_frame){ .key = key, .details = *details };
    hash_insert(&stacks->frame_slots, hash_frame(key), index);
    return index;
}

uint32_t unique_stacks_push(struct unique_stacks *stacks, uint32_t prefix, uint32_t frame)
{
    struct unique_stack wanted = { .prefix = prefix, .frame = frame };
    uint32_t index = find_stack(stacks, wanted);
    if (index != UNIQUE_NONE)
        return index;
    if (!make_room(stacks, &stacks->stacks, sizeof(struct unique_stack), &stacks->stack_slots,
                   hash_of_stack))
        return UNIQUE_NONE;
    index = (uint32_t)stacks->stacks.count++;
    ((struct unique_stack *)stacks->stacks.items)[index] = wanted;
    hash_insert(&stacks->stack_slots, hash_stack(wanted), index);
    return index;
}

/* INDEX_AND_1 is 0 where there is no string. */
static void put_string_index(uint32_t index_and_1, struct json_writer *writer)
{
    if (index_and_1 != 0)
        json_u64(writer, index_and_1 - 1);
    else
        json_null(writer);
}

/* The columns of gecko_frame_columns; a row ends with the last one that tells anything. */
static void stream_frame(const struct unique_frame *frame, struct json_writer *writer)
{
    json_start_array(writer);
    json_u64(writer, frame->details.location);
    json_bool(writer, false);
    json_null(writer);
    put_string_index(frame->details.tier, writer);
    if (frame->details.line != 0)
        json_u64(writer, frame->details.line);
    else
        json_null(writer);
    json_null(writer);
    json_u64(writer, frame->details.category);
    json_u64(writer, frame->details.subcategory);
    if (frame->details.file != 0 || frame->details.is_inlined)
        put_string_index(frame->details.file, writer);
    if (frame->details.is_inlined)
        json_bool(writer, true);
    json_end_array(writer);
}

void unique_stacks_stream_frame_table(const struct unique_stacks *stacks,
                                      struct json_writer *writer)
{
    gecko_start_table(writer, gecko_frame_columns);
    for (uint32_t index = 0; index < unique_stacks_frame_count(stacks); index++)
        stream_frame(frame_at(stacks, index), writer);
    gecko_end_table(writer);
}

static void stream_stack(const struct unique_stack *stack, struct json_writer *writer)
{
    char *out = json_value_room(writer);
    *out++ = '[';
    if (stack->prefix == UNIQUE_NONE) {
        memcpy(out, "null", 4);
        out += 4;
    } else {
        out = json_format_u64(out, stack->prefix);
    }
    *out++ = ',';
    out = json_format_u64(out, stack->frame);
    *out++ = ']';
    json_wrote(writer, out);
}

void unique_stacks_stream_stack_table(const struct unique_stacks *stacks,
                                      struct json_writer *writer)
{
    gecko_start_table(writer, gecko_stack_columns);
    for (uint32_t index = 0; index < unique_stacks_stack_count(stacks); index++)
        stream_stack(stack_at(stacks, index), writer);
    gecko_end_table(writer);
}
