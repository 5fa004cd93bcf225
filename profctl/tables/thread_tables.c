#include "profctl/tables/thread_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/json_sinks.h"
#include "profctl/json_steps.h"
#include "profctl/tables/json_table.h"

enum { LONGEST_ADDRESS = 18 }; /* "0x" and 16 digits */

void thread_tables_free(struct thread_tables *tables)
{
    mapped_array_free(&tables->bytes);
    mapped_array_free(&tables->strings);
    mapped_array_free(&tables->frames);
    mapped_array_free(&tables->stacks);
}

/* TABLE is the next one: what it points into is there, and nothing points into it yet. */
static int take_turn(struct thread_tables *tables, enum table_stage table)
{
    if (tables->stage + 1 != table)
        return -EPROTO;
    tables->stage = table;
    return 0;
}

void thread_tables_clear(struct thread_tables *tables)
{
    tables->stage = TABLES_NONE;
    tables->bytes.count = 0;
    tables->strings.count = 0;
    tables->frames.count = 0;
    tables->stacks.count = 0;
}

static int add_string(struct thread_tables *tables, const char *text, size_t length)
{
    struct table_string *string = mapped_array_push(&tables->strings, sizeof(*string));

    if (string == NULL)
        return -ENOMEM;
    *string = (struct table_string){ tables->bytes.count, length };
    if (json_sink_memory(&tables->bytes, text, length) < 0)
        return -ENOMEM;
    return tables->strings.count < UINT32_MAX ? 0 : -E2BIG;
}

int thread_tables_read_strings(struct thread_tables *tables, struct json_reader *reader)
{
    const char *text;
    size_t length;
    int token, error = take_turn(tables, TABLES_STRINGS);

    if (error == 0)
        error = json_expect(reader, JSON_TOKEN_START_ARRAY);
    if (error < 0)
        return error;
    while ((token = json_reader_next(reader)) == JSON_TOKEN_STRING) {
        error = json_reader_string(reader, &text, &length);
        if (error == 0)
            error = add_string(tables, text, length);
        if (error < 0)
            return error;
    }
    return token == JSON_TOKEN_END_ARRAY ? 0 : json_token_error(token);
}

/* --- Frames --- */

enum {
    FRAME_LOCATION,
    FRAME_LINE,
    FRAME_CATEGORY,
    FRAME_SUBCATEGORY,
    FRAME_TIER,
    FRAME_FILE,
    FRAME_INLINED,
    FRAME_COLUMNS
};
static const char *const frame_columns[FRAME_COLUMNS] = {
    [FRAME_LOCATION] = "location",   [FRAME_LINE] = "line",
    [FRAME_CATEGORY] = "category",   [FRAME_SUBCATEGORY] = "subcategory",
    [FRAME_TIER] = "implementation", [FRAME_FILE] = "file",
    [FRAME_INLINED] = "inlined",
};

static uint32_t whole_number(const struct json_cell *cell)
{
    if (cell->token != JSON_TOKEN_NUMBER || !(cell->number >= 0) || cell->number > UINT32_MAX)
        return 0;
    return (uint32_t)cell->number;
}

/* Of a column that others may use for something else: what is no number is none. */
static int index_if_any(const struct json_cell *cell, uint32_t count, uint32_t *index)
{
    *index = TABLE_NONE;
    return cell->token == JSON_TOKEN_NUMBER ? json_cell_index(cell, count, index) : 0;
}

static int add_frame(struct thread_tables *tables, const struct json_cell *cells)
{
    uint32_t strings = (uint32_t)tables->strings.count;
    struct table_frame *frame = mapped_array_push(&tables->frames, sizeof(*frame));

    if (frame == NULL)
        return -ENOMEM;
    frame->script = 0;
    frame->line = whole_number(&cells[FRAME_LINE]);
    frame->category = whole_number(&cells[FRAME_CATEGORY]);
    frame->subcategory = whole_number(&cells[FRAME_SUBCATEGORY]);
    frame->is_inlined = cells[FRAME_INLINED].token == JSON_TOKEN_TRUE;
    int error = index_if_any(&cells[FRAME_TIER], strings, &frame->tier);
    if (error == 0)
        error = index_if_any(&cells[FRAME_FILE], strings, &frame->file);
    return error < 0 ? error : json_cell_index(&cells[FRAME_LOCATION], strings, &frame->location);
}

/* --- Stacks --- */

enum { STACK_PREFIX, STACK_FRAME, STACK_COLUMNS };
static const char *const stack_columns[STACK_COLUMNS] = { "prefix", "frame" };

static int add_stack(struct thread_tables *tables, const struct json_cell *cells)
{
    uint32_t own_index = (uint32_t)tables->stacks.count;
    struct table_stack *stack = mapped_array_push(&tables->stacks, sizeof(*stack));
    int error;

    if (stack == NULL)
        return -ENOMEM;
    stack->id = 0;
    error = json_cell_index_or_none(&cells[STACK_PREFIX], own_index, &stack->prefix);
    if (error == 0)
        error = json_cell_index(&cells[STACK_FRAME], (uint32_t)tables->frames.count, &stack->frame);
    return error;
}

/* --- Both --- */

static int read_table(struct thread_tables *tables, struct json_reader *reader,
                      const char *const *columns, size_t column_count,
                      int (*add)(struct thread_tables *tables, const struct json_cell *cells))
{
    struct json_cell cells[JSON_TABLE_MAX_COLUMNS];
    struct json_table table;
    int error = json_table_open(&table, columns, column_count, reader);

    while (json_table_next(&table, reader, cells, &error))
        error = add(tables, cells);
    return error;
}

int thread_tables_read_frames(struct thread_tables *tables, struct json_reader *reader)
{
    int error = take_turn(tables, TABLES_FRAMES);

    return error < 0 ? error : read_table(tables, reader, frame_columns, FRAME_COLUMNS, add_frame);
}

int thread_tables_read_stacks(struct thread_tables *tables, struct json_reader *reader)
{
    int error = take_turn(tables, TABLES_STACKS);

    return error < 0 ? error : read_table(tables, reader, stack_columns, STACK_COLUMNS, add_stack);
}

int thread_tables_add_node(struct thread_tables *tables, const struct table_node *node)
{
    uint32_t index = (uint32_t)tables->stacks.count;
    int error = add_string(tables, node->location, node->length);
    struct table_frame *frame = mapped_array_push(&tables->frames, sizeof(*frame));
    struct table_stack *stack = mapped_array_push(&tables->stacks, sizeof(*stack));

    if (error < 0 || frame == NULL || stack == NULL)
        return error < 0 ? error : -ENOMEM;
    *frame = (struct table_frame){
        .location = index, .script = node->script, .file = TABLE_NONE, .tier = TABLE_NONE
    };
    *stack = (struct table_stack){ .prefix = node->prefix, .frame = index, .id = node->id };
    return 0;
}

/* --- Queries --- */

const char *thread_tables_string(const struct thread_tables *tables, uint32_t index, size_t *length)
{
    const struct table_string *string = (struct table_string *)tables->strings.items + index;

    *length = string->length;
    return (const char *)tables->bytes.items + string->offset;
}

bool thread_tables_address(const struct thread_tables *tables, uint32_t index, uint64_t *address)
{
    char copy[LONGEST_ADDRESS + 1], *end;
    size_t length;
    const char *text = thread_tables_string(tables, index, &length);

    if (length < 3 || length > LONGEST_ADDRESS || text[0] != '0' || text[1] != 'x')
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *address = strtoull(copy + 2, &end, 16);
    return *end == '\0';
}

const struct table_frame *thread_tables_frame(const struct thread_tables *tables, uint32_t index)
{
    return (struct table_frame *)tables->frames.items + index;
}

const struct table_stack *thread_tables_stack(const struct thread_tables *tables, uint32_t index)
{
    return (struct table_stack *)tables->stacks.items + index;
}
