#include "profctl/tables/json_table.h"

#include <errno.h>

#include "profctl/json_steps.h"
#include "profctl/tables/json_text.h"

static int expect_key(struct json_reader *reader, const char *name)
{
    int error = json_expect(reader, JSON_TOKEN_KEY);

    if (error < 0)
        return error;
    return json_reader_is(reader, name) ? 0 : -EPROTO;
}

/* The column that READER's key names; below 0: none that is wanted. */
static int wanted_column(const struct json_table *table, struct json_reader *reader)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (json_reader_is(reader, table->columns[i]))
            return (int)i;
    return -1;
}

static void note_place(struct json_table *table, int column, int64_t place)
{
    if (column < 0 || place < 0 || place >= JSON_TABLE_MAX_COLUMNS)
        return;
    table->places[column] = (int)place;
    table->column_at[place] = column;
}

static int read_schema(struct json_table *table, struct json_reader *reader)
{
    int error = json_expect(reader, JSON_TOKEN_START_OBJECT);

    while (json_next_member(reader, &error)) {
        int column = wanted_column(table, reader);
        int64_t value;

        error = json_expect(reader, JSON_TOKEN_NUMBER);
        if (error == 0 && json_reader_i64(reader, &value) != 0)
            error = -EPROTO;
        if (error == 0)
            note_place(table, column, value);
    }
    return error;
}

int json_table_open(struct json_table *table, const char *const *columns, size_t column_count,
                    struct json_reader *reader)
{
    int error = json_expect(reader, JSON_TOKEN_START_OBJECT);

    table->columns = columns;
    table->column_count = column_count;
    for (size_t i = 0; i < JSON_TABLE_MAX_COLUMNS; i++)
        table->places[i] = table->column_at[i] = -1;
    table->kept_place = -1;
    if (error == 0)
        error = expect_key(reader, "schema");
    if (error == 0)
        error = read_schema(table, reader);
    if (error == 0)
        error = expect_key(reader, "data");
    if (error == 0)
        error = json_expect(reader, JSON_TOKEN_START_ARRAY);
    return error;
}

void json_table_keep_text(struct json_table *table, size_t column, struct mapped_array *text)
{
    table->kept_place = table->places[column];
    table->kept = text;
}

/* Keeps the next value when it is an object. */
static int read_kept_cell(const struct json_table *table, struct json_reader *reader,
                          struct json_cell *cell)
{
    size_t before = table->kept->count;
    int error = json_text_append_value(reader, table->kept);

    if (error < 0)
        return error;
    if (((const char *)table->kept->items)[before] == '{')
        cell->token = JSON_TOKEN_START_OBJECT;
    else
        table->kept->count = before;
    return 0;
}

static int read_cell(struct json_reader *reader, struct json_cell *cell)
{
    int token = json_reader_next(reader);

    if (token < 0)
        return token;
    cell->token = (enum json_token)token;
    if (token == JSON_TOKEN_NUMBER)
        cell->number = json_reader_double(reader);
    return json_reader_skip(reader);
}

/* A row, whose start was read. */
static int read_row(const struct json_table *table, struct json_reader *reader,
                    struct json_cell cells[JSON_TABLE_MAX_COLUMNS])
{
    int more;

    for (size_t i = 0; i < table->column_count; i++)
        cells[i] = (struct json_cell){ .token = JSON_TOKEN_NULL };
    for (int place = 0; (more = json_reader_more(reader)) > 0; place++) {
        struct json_cell cell = { .token = JSON_TOKEN_NULL };
        int error = place == table->kept_place ? read_kept_cell(table, reader, &cell)
                                               : read_cell(reader, &cell);
        if (error < 0)
            return error;
        if (place < JSON_TABLE_MAX_COLUMNS && table->column_at[place] >= 0)
            cells[table->column_at[place]] = cell;
    }
    if (more < 0)
        return more;
    int token = json_reader_next(reader);
    return token < 0 ? token : 0;
}

bool json_table_next(const struct json_table *table, struct json_reader *reader,
                     struct json_cell cells[JSON_TABLE_MAX_COLUMNS], int *error)
{
    if (json_next_array(reader, error)) {
        *error = read_row(table, reader, cells);
        return *error == 0;
    }
    if (*error == 0)
        *error = json_expect(reader, JSON_TOKEN_END_OBJECT);
    return false;
}

int json_cell_index(const struct json_cell *cell, uint32_t count, uint32_t *index)
{
    if (cell->token != JSON_TOKEN_NUMBER || !(cell->number >= 0) || cell->number >= count)
        return -EPROTO;
    *index = (uint32_t)cell->number;
    return *index == cell->number ? 0 : -EPROTO;
}

int json_cell_index_or_none(const struct json_cell *cell, uint32_t count, uint32_t *index)
{
    *index = UINT32_MAX;
    return cell->token == JSON_TOKEN_NULL ? 0 : json_cell_index(cell, count, index);
}
