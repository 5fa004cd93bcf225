#include "profctl/tables/allocation_payload.h"

#include <errno.h>
#include <stdbool.h>

#include "json/json_reader.h"
#include "profctl/tables/json_table.h"
#include "profctl/tables/thread_tables.h"

struct reading {
    struct json_reader *reader;
    uint32_t stack_count;
    struct allocation_payload *out;
    bool is_allocation;
};

static int for_each_member(struct reading *reading, int (*member)(struct reading *reading))
{
    int token, error = 0;

    while (error == 0 && (token = json_reader_next(reading->reader)) == JSON_TOKEN_KEY)
        error = member(reading);
    if (error < 0)
        return error;
    return token == JSON_TOKEN_END_OBJECT ? 0 : token < 0 ? token : -EPROTO;
}

/* The stack is a profile of one sample. */
static int read_samples(struct reading *reading)
{
    static const char *const columns[] = { "stack" };
    struct json_cell cells[JSON_TABLE_MOST_COLUMNS];
    struct json_table table;
    int error = json_table_open(&table, columns, 1, reading->reader);

    while (json_table_next(&table, reading->reader, cells, &error))
        error = json_cell_index_or_none(&cells[0], reading->stack_count, &reading->out->stack);
    return error;
}

static int stack_member(struct reading *reading)
{
    return json_reader_is(reading->reader, "samples") ? read_samples(reading)
                                                      : json_reader_skip(reading->reader);
}

static int payload_member(struct reading *reading)
{
    struct json_reader *reader = reading->reader;

    if (json_reader_is(reader, "type")) {
        if (json_reader_next(reader) == JSON_TOKEN_STRING)
            reading->is_allocation = json_reader_is(reader, "Native allocation");
        return json_reader_skip(reader);
    }
    if (json_reader_is(reader, "size")) {
        if (json_reader_next(reader) == JSON_TOKEN_NUMBER &&
            json_reader_i64(reader, &reading->out->size_bytes) < 0)
            return -EPROTO;
        return json_reader_skip(reader);
    }
    if (!reading->is_allocation || !json_reader_is(reader, "stack"))
        return json_reader_skip(reader);
    if (json_reader_next(reader) != JSON_TOKEN_START_OBJECT)
        return json_reader_skip(reader);
    return for_each_member(reading, stack_member);
}

int allocation_payload_read(const char *json, size_t length, uint32_t stack_count,
                            struct allocation_payload *out)
{
    struct reading reading = { .stack_count = stack_count, .out = out };
    int error = json_reader_open_memory(json, length, &reading.reader);

    *out = (struct allocation_payload){ .stack = TABLE_NONE };
    if (error < 0)
        return error;
    int token = json_reader_next(reading.reader);
    error = token == JSON_TOKEN_START_OBJECT ? for_each_member(&reading, payload_member)
            : token < 0                      ? token
                                             : -EPROTO;
    json_reader_close(reading.reader);
    return error < 0 ? error : reading.is_allocation;
}
