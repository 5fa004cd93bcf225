#include "profctl/merge/merge_tables.h"

#include <errno.h>

#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/tables/marker_payload.h"

enum { NO_PLACE = -1 };

/* A table that is being copied. */
struct table_copy {
    const struct merge_lists *lists;
    struct json_reader *reader;
    struct json_writer *writer;
    bool has_payloads;               /* these are markers */
    int category, subcategory, data; /* places in a row; NO_PLACE: it has no such column */
};

void merge_lists_free(struct merge_lists *lists)
{
    category_lists_free(&lists->categories);
    marker_schemas_free(&lists->schemas);
}

/* --- Which columns --- */

static int take_column(struct table_copy *copy)
{
    struct json_reader *reader = copy->reader;
    int *place = json_reader_is(reader, "category")      ? &copy->category
                 : json_reader_is(reader, "subcategory") ? &copy->subcategory
                 : json_reader_is(reader, "data")        ? &copy->data
                                                         : NULL;
    int64_t number;
    int err = json_copy_token(reader, JSON_TOKEN_KEY, copy->writer);
    int token = err == 0 ? json_reader_next(reader) : 0;

    if (err < 0 || token != JSON_TOKEN_NUMBER)
        return err < 0 ? err : json_token_error(token);
    err = json_reader_i64(reader, &number);
    if (err < 0 || number < 0 || number > INT16_MAX)
        return -EPROTO;
    if (place != NULL)
        *place = (int)number;
    return json_copy_token(reader, token, copy->writer);
}

static int copy_schema(struct table_copy *copy)
{
    int err = json_expect(copy->reader, JSON_TOKEN_START_OBJECT);

    json_start_object(copy->writer);
    while (json_next_member(copy->reader, &err))
        err = take_column(copy);
    json_end_object(copy->writer);
    return err;
}

/* --- Rows --- */

static int take_number(struct table_copy *copy, int token, uint32_t *number)
{
    uint64_t value;

    if (token != JSON_TOKEN_NUMBER || json_reader_u64(copy->reader, &value) < 0 ||
        value > UINT32_MAX)
        return json_token_error(token);
    *number = (uint32_t)value;
    return 0;
}

/* TOKEN is the cell of the category, at *PLACE; the subcategory, if there is one, is the cell
 * behind it. *NEXT becomes the token behind what was copied, which ends at *PLACE then. */
static int copy_categories(struct table_copy *copy, int token, int *place, int *next)
{
    uint32_t category, subcategory = 0;
    bool has_part = copy->subcategory != NO_PLACE;
    int err = take_number(copy, token, &category);

    *next = err == 0 ? json_reader_next(copy->reader) : 0;
    bool is_told = has_part && *next == JSON_TOKEN_NUMBER;
    if (err == 0 && is_told)
        err = take_number(copy, *next, &subcategory);
    if (err == 0)
        err = category_lists_map(&copy->lists->categories, &category, &subcategory);
    if (err < 0)
        return err;
    json_u64(copy->writer, category);
    if (is_told) {
        json_u64(copy->writer, subcategory);
        ++*place;
        *next = json_reader_next(copy->reader);
    }
    return 0;
}

/* A row, of which the start was read. */
static int copy_row(struct table_copy *copy)
{
    struct json_reader *reader = copy->reader;
    int token = json_reader_next(reader), err = 0;

    json_start_array(copy->writer);
    for (int place = 0; err == 0 && token != JSON_TOKEN_END_ARRAY; place++) {
        if (place == copy->category && token != JSON_TOKEN_NULL) {
            err = copy_categories(copy, token, &place, &token);
            continue;
        }
        if (place == copy->data && copy->has_payloads && token == JSON_TOKEN_START_OBJECT)
            err = marker_payload_copy(&copy->lists->schemas, NULL, reader, copy->writer);
        else
            err = json_copy_from(reader, token, copy->writer);
        token = err == 0 ? json_reader_next(reader) : 0;
    }
    json_end_array(copy->writer);
    return err;
}

static int copy_rows(struct table_copy *copy)
{
    bool is_known = copy->subcategory == NO_PLACE || copy->subcategory == copy->category + 1;
    int err = is_known ? json_expect(copy->reader, JSON_TOKEN_START_ARRAY) : -EPROTO;

    json_start_array(copy->writer);
    while (json_next_array(copy->reader, &err))
        err = copy_row(copy);
    json_end_array(copy->writer);
    return err;
}

static int copy_member(struct table_copy *copy, bool *has_schema)
{
    bool is_schema = json_reader_is(copy->reader, "schema");
    bool is_data = json_reader_is(copy->reader, "data");
    int err = json_copy_token(copy->reader, JSON_TOKEN_KEY, copy->writer);

    if (err < 0)
        return err;
    if (is_schema) {
        *has_schema = true;
        return copy_schema(copy);
    }
    if (is_data)
        return *has_schema ? copy_rows(copy) : -EPROTO;
    return json_copy_value(copy->reader, copy->writer);
}

static int copy_table(struct table_copy *copy)
{
    bool has_schema = false;
    int err = json_expect(copy->reader, JSON_TOKEN_START_OBJECT);

    copy->category = copy->subcategory = copy->data = NO_PLACE;
    json_start_object(copy->writer);
    while (json_next_member(copy->reader, &err))
        err = copy_member(copy, &has_schema);
    json_end_object(copy->writer);
    return err;
}

int merge_tables_copy_frames(const struct merge_lists *lists, struct json_reader *reader,
                             struct json_writer *writer)
{
    struct table_copy copy = { .lists = lists, .reader = reader, .writer = writer };

    return copy_table(&copy);
}

int merge_tables_copy_markers(const struct merge_lists *lists, struct json_reader *reader,
                              struct json_writer *writer)
{
    struct table_copy copy = {
        .lists = lists, .reader = reader, .writer = writer, .has_payloads = true
    };

    return copy_table(&copy);
}
