#include "profctl/query/query_answer.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "profctl/clickhouse/row_binary.h"

enum { HASH_BYTES = 16, MAX_FRAMES = 100000, MAX_ROW_BYTES = 64 * 1024 * 1024 };

void query_answer_init(struct query_answer *answer)
{
    *answer = (struct query_answer){ 0 };
    failure_latch_init(&answer->latch);
    unique_strings_init(&answer->names, &answer->latch);
    unique_strings_init(&answer->hashes, &answer->latch);
}

void query_answer_fini(struct query_answer *answer)
{
    unique_strings_fini(&answer->names);
    unique_strings_fini(&answer->hashes);
    mapped_array_free(&answer->stacks);
    mapped_array_free(&answer->frames);
    mapped_array_free(&answer->rows);
    mapped_array_free(&answer->rest);
}

/* --- Values --- */

static int read_name(struct query_answer *answer, struct row_reader *reader, uint32_t *name)
{
    const char *bytes;
    size_t length;
    int error = row_read_string(reader, &bytes, &length);

    if (error == 0) {
        *name = unique_strings_add(&answer->names, bytes, length);
        error = *name != UNIQUE_NONE ? 0 : -ENOMEM;
    }
    return error;
}

static int read_hash(struct query_answer *answer, struct row_reader *reader, uint32_t *stack)
{
    const char *bytes;
    int error = row_read_bytes(reader, &bytes, HASH_BYTES);

    if (error < 0)
        return error;
    *stack = unique_strings_add(&answer->hashes, bytes, HASH_BYTES);
    if (*stack == UNIQUE_NONE)
        return -ENOMEM;
    if (*stack < answer->stacks.count)
        return 0;
    struct query_stack *place = mapped_array_push(&answer->stacks, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = (struct query_stack){ .first = QUERY_NO_FRAMES };
    return 0;
}

/* --- Rows --- */

static int read_row(struct query_answer *answer, struct row_reader *reader)
{
    struct query_row row = { 0 }, *place;
    uint64_t cpu_ns = 0, summed = 0;
    int error = read_name(answer, reader, &row.program);

    if (error == 0)
        error = read_name(answer, reader, &row.thread);
    if (error == 0)
        error = read_hash(answer, reader, &row.stack);
    if (error == 0)
        error = row_read_u64(reader, &cpu_ns);
    if (error == 0)
        error = row_read_u64(reader, &row.samples);
    if (error == 0)
        error = row_read_u64(reader, &row.allocated_bytes);
    if (error == 0)
        error = row_read_u64(reader, &summed);
    if (error < 0)
        return error;
    row.cpu_ns = (int64_t)cpu_ns;
    place = mapped_array_push(&answer->rows, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = row;
    answer->summed_rows += summed;
    return 0;
}

static int read_frames(struct query_answer *answer, struct row_reader *reader, uint64_t count)
{
    int error = 0;

    for (uint64_t i = 0; i < count && error == 0; i++) {
        uint32_t name;
        error = read_name(answer, reader, &name);
        uint32_t *place = error == 0 ? mapped_array_push(&answer->frames, sizeof(*place)) : NULL;
        if (place != NULL)
            *place = name;
        else if (error == 0)
            error = -ENOMEM;
    }
    return error;
}

static int read_stack(struct query_answer *answer, struct row_reader *reader)
{
    uint32_t stack, first = (uint32_t)answer->frames.count;
    uint64_t count;
    int error = read_hash(answer, reader, &stack);

    if (error == 0)
        error = row_read_length(reader, &count);
    if (error == 0)
        error = count <= MAX_FRAMES ? read_frames(answer, reader, count) : -EPROTO;
    if (error < 0) {
        answer->frames.count = first;
        return error;
    }
    ((struct query_stack *)answer->stacks.items)[stack] =
        (struct query_stack){ first, (uint32_t)count };
    return 0;
}

/* --- As they come --- */

/* Reads what is whole of the rest and of the bytes behind it. */
static int read_whole_rows(struct query_answer *answer, const char *bytes, size_t count,
                           int (*read)(struct query_answer *answer, struct row_reader *reader))
{
    struct mapped_array *rest = &answer->rest;
    int error = rest->count + count <= MAX_ROW_BYTES
                    ? mapped_array_reserve(rest, rest->count + count + 1, 1)
                    : -EPROTO;

    if (error < 0)
        return error;
    memcpy((char *)rest->items + rest->count, bytes, count);
    rest->count += count;
    const char *end = (char *)rest->items + rest->count;
    struct row_reader reader = { rest->items, end }, ahead = reader;
    while (error == 0 && ahead.next < end) {
        error = read(answer, &ahead);
        if (error == 0)
            reader = ahead;
    }
    rest->count = (size_t)(end - reader.next);
    memmove(rest->items, reader.next, rest->count);
    return error == -ENODATA ? 0 : error;
}

int query_answer_take_rows(void *context, const char *bytes, size_t count)
{
    return read_whole_rows(context, bytes, count, read_row);
}

int query_answer_take_stacks(void *context, const char *bytes, size_t count)
{
    return read_whole_rows(context, bytes, count, read_stack);
}

int query_answer_end(struct query_answer *answer)
{
    return answer->rest.count == 0 ? 0 : -EPROTO;
}
