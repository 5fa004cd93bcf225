/* Rows of samples and markers. */
#include <errno.h>

#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/naming/naming_pass.h"
#include "profctl/tables/marker_payload.h"

/* The places of cells in rows of samples and of markers. */
enum { FIRST_CELL = 0, MARKER_CATEGORY = 4 };

/* Copies a row whose start was read, each cell with COPY. */
static int copy_row(struct naming_pass *pass,
                    int (*copy)(struct naming_pass *pass, unsigned cell, int token))
{
    int token = json_reader_next(pass->reader);

    json_start_array(pass->writer);
    int error = copy(pass, FIRST_CELL, token);
    for (unsigned cell = 1;
         error == 0 && (token = json_reader_next(pass->reader)) != JSON_TOKEN_END_ARRAY; cell++)
        error = copy(pass, cell, token);
    json_end_array(pass->writer);
    return error;
}

static int old_index(struct naming_pass *pass, int token, size_t count, uint32_t *index)
{
    uint64_t value;

    if (token != JSON_TOKEN_NUMBER)
        return json_token_error(token);
    if (json_reader_u64(pass->reader, &value) != 0 || value >= count)
        return -EPROTO;
    *index = (uint32_t)value;
    return 0;
}

static int map_stack(struct naming_pass *pass, int token)
{
    uint32_t index;
    int error;

    if (token == JSON_TOKEN_NULL) {
        json_null(pass->writer);
        return 0;
    }
    error = old_index(pass, token, pass->tables.stacks.count, &index);
    if (error == 0)
        json_u64(pass->writer, symbolicated_stack(&pass->renamed, index));
    return error;
}

static int copy_sample_cell(struct naming_pass *pass, unsigned cell, int token)
{
    if (cell != FIRST_CELL)
        return json_copy_from(pass->reader, token, pass->writer);
    if (pass->counts != NULL)
        pass->counts->samples++;
    return map_stack(pass, token);
}

static int map_name(struct naming_pass *pass, int token)
{
    uint32_t index;
    int error = old_index(pass, token, pass->tables.strings.count, &index);

    if (pass->counts != NULL)
        pass->counts->markers++;
    if (error == 0 && symbolicated_string(&pass->renamed, index) == UNIQUE_NONE)
        error = -EPROTO;
    if (error == 0)
        json_u64(pass->writer, symbolicated_string(&pass->renamed, index));
    return error;
}

static int map_category(struct naming_pass *pass, int token)
{
    uint32_t category, subcategory = 0;
    int error = old_index(pass, token, UINT32_MAX, &category);

    if (error == 0)
        error = category_lists_map(pass->categories, &category, &subcategory);
    if (error == 0)
        json_u64(pass->writer, category);
    return error;
}

static int copy_payload(struct naming_pass *pass)
{
    const struct renumbered_tables renumbered = { &pass->renamed.string_map,
                                                  &pass->renamed.stack_map };

    return marker_payload_copy(&pass->schemas, &renumbered, pass->reader, pass->writer);
}

static int copy_marker_cell(struct naming_pass *pass, unsigned cell, int token)
{
    if (cell == FIRST_CELL)
        return map_name(pass, token);
    if (cell == MARKER_CATEGORY && token == JSON_TOKEN_NUMBER)
        return map_category(pass, token);
    if (token == JSON_TOKEN_START_OBJECT)
        return copy_payload(pass);
    return json_copy_from(pass->reader, token, pass->writer);
}

/* Copies the array of rows that comes next. */
static int copy_rows(struct naming_pass *pass,
                     int (*copy)(struct naming_pass *pass, unsigned cell, int token))
{
    int error = naming_enter(pass, JSON_TOKEN_START_ARRAY);

    while (json_next_array(pass->reader, &error))
        error = copy_row(pass, copy);
    json_end_array(pass->writer);
    return error;
}

static int samples_member(struct naming_pass *pass)
{
    int error;

    if (!json_reader_is(pass->reader, "data"))
        return naming_copy_member(pass);
    error = naming_copy_key(pass);
    return error < 0 ? error : copy_rows(pass, copy_sample_cell);
}

static int markers_member(struct naming_pass *pass)
{
    int error;

    if (!json_reader_is(pass->reader, "data"))
        return naming_copy_member(pass);
    error = naming_copy_key(pass);
    return error < 0 ? error : copy_rows(pass, copy_marker_cell);
}

static int copy_table(struct naming_pass *pass, int (*member)(struct naming_pass *pass))
{
    int error;

    if (!pass->is_renamed)
        return -EPROTO;
    error = naming_copy_key(pass);
    if (error == 0)
        error = naming_enter(pass, JSON_TOKEN_START_OBJECT);
    return error < 0 ? error : naming_each_member(pass, member);
}

int naming_copy_samples(struct naming_pass *pass)
{
    return copy_table(pass, samples_member);
}

int naming_copy_markers(struct naming_pass *pass)
{
    return copy_table(pass, markers_member);
}
