#include "profctl/merge/merge_tables.h"

#include <errno.h>

#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/tables/marker_payload.h"
#include "profctl/tables/marker_phase.h"

enum { NO_PLACE = -1, MAX_REFERENCES = 3, NO_PHASE = PHASE_END + 1 };

/* A column whose cells are numbers of rows of a table, or null. */
struct reference {
    const char *column;
    uint64_t *named; /* one more than the highest; NULL: a row above, in the same table */
    bool is_needed;  /* in each row */
    bool may_differ; /* others use the column for something else, which is no number */
    int place;       /* in a row; NO_PLACE: it has no such column */
};

/* What the row at hand has. */
struct row_facts {
    unsigned references; /* a bit for each that is a number */
    bool has_time;
    bool has_category; /* these are of markers: */
    bool has_start, has_end;
    uint32_t phase; /* NO_PHASE: none that there is */
};

/* A table that is being copied. */
struct table_copy {
    const struct merge_lists *lists;
    struct json_reader *reader;
    struct json_writer *writer;
    bool has_markers;
    bool needs_time; /* in each row */
    uint64_t *rows;  /* how many it has; NULL: nobody asks */
    uint64_t row;    /* the one at hand */
    struct reference references[MAX_REFERENCES];
    int category, subcategory, data; /* places in a row; NO_PLACE: it has no such column */
    int phase, start, end, time;     /* likewise */
    struct row_facts facts;
};

void merge_lists_free(struct merge_lists *lists)
{
    category_lists_free(&lists->categories);
    marker_schemas_free(&lists->schemas);
}

/* --- Which columns --- */

/* Where the place of the column goes whose name was read; NULL: it is copied as it is. */
static int *place_of(struct table_copy *copy)
{
    struct json_reader *reader = copy->reader;

    for (size_t i = 0; i < MAX_REFERENCES; i++) {
        if (copy->references[i].column != NULL &&
            json_reader_is(reader, copy->references[i].column))
            return &copy->references[i].place;
    }
    return json_reader_is(reader, "category")      ? &copy->category
           : json_reader_is(reader, "subcategory") ? &copy->subcategory
           : json_reader_is(reader, "data")        ? &copy->data
           : json_reader_is(reader, "phase")       ? &copy->phase
           : json_reader_is(reader, "startTime")   ? &copy->start
           : json_reader_is(reader, "endTime")     ? &copy->end
           : json_reader_is(reader, "time")        ? &copy->time
                                                   : NULL;
}

static int take_column(struct table_copy *copy)
{
    struct json_reader *reader = copy->reader;
    int *place = place_of(copy);
    int64_t number;
    int error = json_copy_token(reader, JSON_TOKEN_KEY, copy->writer);
    int token = error == 0 ? json_reader_next(reader) : 0;

    if (error < 0 || token != JSON_TOKEN_NUMBER)
        return error < 0 ? error : json_token_error(token);
    error = json_reader_i64(reader, &number);
    if (error < 0 || number < 0 || number > INT16_MAX)
        return -EPROTO;
    if (place != NULL)
        *place = (int)number;
    return json_copy_token(reader, token, copy->writer);
}

static int copy_schema(struct table_copy *copy)
{
    int error = json_expect(copy->reader, JSON_TOKEN_START_OBJECT);

    json_start_object(copy->writer);
    while (json_next_member(copy->reader, &error))
        error = take_column(copy);
    json_end_object(copy->writer);
    return error;
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
    int error = take_number(copy, token, &category);

    *next = error == 0 ? json_reader_next(copy->reader) : 0;
    bool is_told = has_part && *next == JSON_TOKEN_NUMBER;
    if (error == 0 && is_told)
        error = take_number(copy, *next, &subcategory);
    if (error == 0)
        error = category_lists_map(&copy->lists->categories, &category, &subcategory);
    if (error < 0)
        return error;
    copy->facts.has_category = true;
    json_u64(copy->writer, category);
    if (is_told) {
        json_u64(copy->writer, subcategory);
        ++*place;
        *next = json_reader_next(copy->reader);
    }
    return 0;
}

/* TOKEN is the cell at PLACE. */
static int check_reference(struct table_copy *copy, int token, int place)
{
    for (size_t i = 0; i < MAX_REFERENCES; i++) {
        const struct reference *reference = &copy->references[i];
        uint32_t number;
        if (reference->column == NULL || place != reference->place || token == JSON_TOKEN_NULL ||
            (reference->may_differ && token != JSON_TOKEN_NUMBER))
            continue;
        copy->facts.references |= 1U << i;
        if (take_number(copy, token, &number) < 0)
            return json_reader_refuse(copy->reader, "\"%s\" of a table is not a number",
                                      reference->column);
        if (reference->named == NULL && number >= copy->row)
            return json_reader_refuse(copy->reader,
                                      "stack %llu continues stack %u, which is not before it",
                                      (unsigned long long)copy->row, number);
        if (reference->named != NULL && number >= *reference->named)
            *reference->named = (uint64_t)number + 1;
    }
    return 0;
}

static void note_cell(struct table_copy *copy, int token, int place)
{
    struct row_facts *facts = &copy->facts;
    uint64_t phase;

    if (token != JSON_TOKEN_NUMBER)
        return;
    facts->has_time |= place == copy->time;
    facts->has_start |= place == copy->start;
    facts->has_end |= place == copy->end;
    if (place == copy->phase && json_reader_u64(copy->reader, &phase) == 0 && phase < NO_PHASE)
        facts->phase = (uint32_t)phase;
}

/* What thread_markers.h asks of a marker, profile_counter.h of a counter's sample, and
 * thread_tables.h of other rows. */
static int check_row(const struct table_copy *copy)
{
    const struct row_facts *facts = &copy->facts;
    unsigned long long row = copy->row;

    for (size_t i = 0; i < MAX_REFERENCES; i++)
        if (copy->references[i].is_needed && (facts->references >> i & 1) == 0)
            return json_reader_refuse(copy->reader, "row %llu of a table has no \"%s\"", row,
                                      copy->references[i].column);
    if (copy->needs_time && !facts->has_time)
        return json_reader_refuse(copy->reader, "row %llu of a table has no \"time\"", row);
    if (!copy->has_markers)
        return 0;
    if (!facts->has_category || facts->phase == NO_PHASE)
        return json_reader_refuse(copy->reader, "marker %llu has no category, or no phase", row);
    bool has_times = (facts->has_start || !marker_phase_begins(facts->phase)) &&
                     (facts->has_end || !marker_phase_ends(facts->phase));
    return has_times ? 0
                     : json_reader_refuse(copy->reader, "marker %llu lacks a time of its phase %u",
                                          row, facts->phase);
}

/* A cell that is no category. */
static int copy_cell(struct table_copy *copy, int token, int place)
{
    int error = check_reference(copy, token, place);

    if (error < 0)
        return error;
    note_cell(copy, token, place);
    if (place == copy->data && copy->has_markers && token == JSON_TOKEN_START_OBJECT)
        return marker_payload_copy(&copy->lists->schemas, NULL, copy->reader, copy->writer);
    return json_copy_from(copy->reader, token, copy->writer);
}

/* A row, of which the start was read. */
static int copy_row(struct table_copy *copy)
{
    struct json_reader *reader = copy->reader;
    int token = json_reader_next(reader), error = 0;

    copy->facts = (struct row_facts){ .phase = NO_PHASE };
    json_start_array(copy->writer);
    for (int place = 0; error == 0 && token != JSON_TOKEN_END_ARRAY; place++) {
        if (place == copy->category && token != JSON_TOKEN_NULL) {
            error = copy_categories(copy, token, &place, &token);
            continue;
        }
        error = copy_cell(copy, token, place);
        token = error == 0 ? json_reader_next(reader) : 0;
    }
    json_end_array(copy->writer);
    return error < 0 ? error : check_row(copy);
}

static int copy_rows(struct table_copy *copy)
{
    bool is_known = copy->subcategory == NO_PLACE || copy->subcategory == copy->category + 1;
    int error = is_known ? json_expect(copy->reader, JSON_TOKEN_START_ARRAY) : -EPROTO;

    json_start_array(copy->writer);
    for (copy->row = 0; json_next_array(copy->reader, &error); copy->row++)
        error = copy_row(copy);
    if (copy->rows != NULL)
        *copy->rows = copy->row;
    json_end_array(copy->writer);
    return error;
}

static int copy_member(struct table_copy *copy, bool *has_schema)
{
    bool is_schema = json_reader_is(copy->reader, "schema");
    bool is_data = json_reader_is(copy->reader, "data");
    int error = json_copy_token(copy->reader, JSON_TOKEN_KEY, copy->writer);

    if (error < 0)
        return error;
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
    int error = json_expect(copy->reader, JSON_TOKEN_START_OBJECT);

    copy->category = copy->subcategory = copy->data = NO_PLACE;
    copy->phase = copy->start = copy->end = copy->time = NO_PLACE;
    for (size_t i = 0; i < MAX_REFERENCES; i++)
        copy->references[i].place = NO_PLACE;
    json_start_object(copy->writer);
    while (json_next_member(copy->reader, &error))
        error = copy_member(copy, &has_schema);
    json_end_object(copy->writer);
    return error;
}

static int copy_strings(struct merge_counts *counts, struct json_reader *reader,
                        struct json_writer *writer)
{
    int error = json_expect(reader, JSON_TOKEN_START_ARRAY), token = 0;

    json_start_array(writer);
    for (counts->strings = 0; error == 0; counts->strings++) {
        token = json_reader_next(reader);
        if (token == JSON_TOKEN_END_ARRAY)
            break;
        error = json_copy_from(reader, token, writer);
    }
    json_end_array(writer);
    return error;
}

enum merge_table merge_tables_named(struct json_reader *reader)
{
    static const char *const names[MERGE_TABLES] = { [MERGE_STRINGS] = "stringTable",
                                                     [MERGE_FRAMES] = "frameTable",
                                                     [MERGE_STACKS] = "stackTable",
                                                     [MERGE_SAMPLES] = "samples",
                                                     [MERGE_MARKERS] = "markers" };
    int table = 0;

    while (table < MERGE_TABLES && !json_reader_is(reader, names[table]))
        table++;
    return (enum merge_table)table;
}

int merge_tables_copy(enum merge_table table, const struct merge_lists *lists,
                      struct merge_counts *counts, struct json_reader *reader,
                      struct json_writer *writer)
{
    struct table_copy copies[MERGE_TABLES] = {
        [MERGE_FRAMES] = { .rows = &counts->frames,
                           .references = { { .column = "location",
                                             .named = &counts->named_strings,
                                             .is_needed = true },
                                           { .column = "implementation",
                                             .named = &counts->named_strings,
                                             .may_differ = true },
                                           { .column = "file",
                                             .named = &counts->named_strings,
                                             .may_differ = true } } },
        [MERGE_STACKS] = { .rows = &counts->stacks,
                           .references = { { .column = "prefix" },
                                           { .column = "frame",
                                             .named = &counts->named_frames,
                                             .is_needed = true } } },
        [MERGE_SAMPLES] = { .references = { { .column = "stack",
                                              .named = &counts->named_stacks } } },
        [MERGE_MARKERS] = { .has_markers = true,
                            .references = { { .column = "name",
                                              .named = &counts->named_strings,
                                              .is_needed = true } } },
    };
    struct table_copy *copy = &copies[table];

    if (table == MERGE_STRINGS)
        return copy_strings(counts, reader, writer);
    copy->lists = lists;
    copy->reader = reader;
    copy->writer = writer;
    return copy_table(copy);
}

int merge_tables_copy_counter(struct json_reader *reader, struct json_writer *writer)
{
    struct table_copy copy = { .reader = reader, .writer = writer, .needs_time = true };

    return copy_table(&copy);
}

/* --- The whole thread --- */

static int check_named(struct json_reader *reader, const char *what, uint64_t named, uint64_t count)
{
    return named <= count
               ? 0
               : json_reader_refuse(reader, "a thread whose tables refer to %s %llu, but have %llu",
                                    what, (unsigned long long)(named - 1),
                                    (unsigned long long)count);
}

int merge_counts_check(const struct merge_counts *counts, struct json_reader *reader)
{
    int error = check_named(reader, "string", counts->named_strings, counts->strings);

    if (error == 0)
        error = check_named(reader, "frame", counts->named_frames, counts->frames);
    return error < 0 ? error : check_named(reader, "stack", counts->named_stacks, counts->stacks);
}
