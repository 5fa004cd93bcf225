/* Tables of the Gecko profile format: { "schema": { column: place … }, "data": [ [cell …] … ] }.
 *
 * Steps through one while it is read from a stream. Errors are -EPROTO if it is not such a table,
 * or the reader's. */
#ifndef PROFD_PROFCTL_JSON_TABLE_H
#define PROFD_PROFCTL_JSON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"

enum { JSON_TABLE_MAX_COLUMNS = 16 };

/* Which columns are wanted, and where they are in a row; -1: not there. */
struct json_table {
    const char *const *columns;
    size_t column_count;
    int places[JSON_TABLE_MAX_COLUMNS];
    int column_at[JSON_TABLE_MAX_COLUMNS]; /* the other way round */
    int kept_place;            /* of the column whose objects are kept as text; -1: none */
    struct mapped_array *kept; /* char; borrowed */
};

/* Reads up to the first row. READER has just returned the key. 0 or an error. */
int json_table_open(struct json_table *table, const char *const *columns, size_t column_count,
                    struct json_reader *reader);

/* From now on objects in COLUMN, by its place in COLUMNS, are appended to TEXT as they are written.
 * Their cells are JSON_TOKEN_START_OBJECT, any other value of the column is JSON_TOKEN_NULL. */
void json_table_keep_text(struct json_table *table, size_t column, struct mapped_array *text);

/* A cell that was read. */
struct json_cell {
    enum json_token
        token; /* JSON_TOKEN_NULL also when the row is too short; of a collection its start */
    double number;
};

/* Returns whether there is another row, which was read to its end then: the wanted columns into
 * CELLS, by their order in COLUMNS. Takes and leaves *ERR as the loops of json_steps.h do; 0 when
 * the table was read to its end. */
bool json_table_next(const struct json_table *table, struct json_reader *reader,
                     struct json_cell cells[JSON_TABLE_MAX_COLUMNS], int *error);

/* CELL as an index below COUNT, or as TABLE_NONE for null when that is allowed. Returns 0 or
 * -EPROTO. */
int json_cell_index(const struct json_cell *cell, uint32_t count, uint32_t *index);
int json_cell_index_or_none(const struct json_cell *cell, uint32_t count, uint32_t *index);

#endif
