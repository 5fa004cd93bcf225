#include "profctl/tables/allocation_payload.h"

#include <errno.h>
#include <stdbool.h>

#include "json/json_reader.h"
#include "profctl/tables/json_table.h"
#include "profctl/tables/thread_tables.h"

struct payload_reader {
    struct json_reader *reader;
    uint32_t stack_count;
    struct allocation_payload *out;
    bool is_allocation;
};

static int for_each_member(struct payload_reader *payload,
                           int (*member)(struct payload_reader *payload))
{
    int token, error = 0;

    while (error == 0 && (token = json_reader_next(payload->reader)) == JSON_TOKEN_KEY)
        error = member(payload);
    if (error < 0)
        return error;
    return token == JSON_TOKEN_END_OBJECT ? 0 : token < 0 ? token : -EPROTO;
}

/* The stack is a profile of one sample. */
static int read_samples(struct payload_reader *payload)
{
    static const char *const columns[] = { "stack" };
    struct json_cell cells[JSON_TABLE_MAX_COLUMNS];
    struct json_table table;
    int error = json_table_open(&table, columns, 1, payload->reader);

    while (json_table_next(&table, payload->reader, cells, &error))
        error = json_cell_index_or_none(&cells[0], payload->stack_count, &payload->out->stack);
    return error;
}

static int stack_member(struct payload_reader *payload)
{
    return json_reader_is(payload->reader, "samples") ? read_samples(payload)
                                                      : json_reader_skip(payload->reader);
}

static int payload_member(struct payload_reader *payload)
{
    struct json_reader *reader = payload->reader;

    if (json_reader_is(reader, "type")) {
        if (json_reader_next(reader) == JSON_TOKEN_STRING)
            payload->is_allocation = json_reader_is(reader, "Native allocation");
        return json_reader_skip(reader);
    }
    if (json_reader_is(reader, "size")) {
        if (json_reader_next(reader) == JSON_TOKEN_NUMBER &&
            json_reader_i64(reader, &payload->out->size_bytes) < 0)
            return -EPROTO;
        return json_reader_skip(reader);
    }
    if (!payload->is_allocation || !json_reader_is(reader, "stack"))
        return json_reader_skip(reader);
    if (json_reader_next(reader) != JSON_TOKEN_START_OBJECT)
        return json_reader_skip(reader);
    return for_each_member(payload, stack_member);
}

int allocation_payload_read(const char *json, size_t length, uint32_t stack_count,
                            struct allocation_payload *out)
{
    struct payload_reader payload = { .stack_count = stack_count, .out = out };
    int error = json_reader_open_memory(json, length, &payload.reader);

    *out = (struct allocation_payload){ .stack = TABLE_NONE };
    if (error < 0)
        return error;
    int token = json_reader_next(payload.reader);
    error = token == JSON_TOKEN_START_OBJECT ? for_each_member(&payload, payload_member)
            : token < 0                      ? token
                                             : -EPROTO;
    json_reader_close(payload.reader);
    return error < 0 ? error : payload.is_allocation;
}
